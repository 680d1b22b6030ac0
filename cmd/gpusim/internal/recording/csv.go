// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// row is one line of a file. The first field that doesn't parse is kept as
// the error of the row.
type row struct {
	file    string
	reader  *csv.Reader
	columns []string
	fields  []string
	err     error
}

// scan calls each for every row of a CSV file with a header line, until the
// first row that is wrong. Columns are found by name.
func scan(file string, in io.Reader, each func(*row)) error {
	r := &row{file: file, reader: csv.NewReader(in)}
	header, err := r.reader.Read()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s is empty: it should begin with a line of column names", file)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	r.columns = header
	r.reader.ReuseRecord = true
	for {
		r.fields, err = r.reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if each(r); r.err != nil {
			return r.err
		}
	}
}

// field parses the value of one column.
func field[T any](r *row, column string, parse func(string) (T, error)) T {
	var zero T
	if r.err != nil {
		return zero
	}
	i := slices.Index(r.columns, column)
	if i < 0 {
		r.err = fmt.Errorf("%s has no column %s, only %s", r.file, column, strings.Join(r.columns, ", "))
		return zero
	}
	value, err := parse(r.fields[i])
	if err != nil {
		line, _ := r.reader.FieldPos(i)
		r.err = fmt.Errorf("%s, line %d: %s is %q: %w", r.file, line, column, r.fields[i], err)
		return zero
	}
	return value
}
