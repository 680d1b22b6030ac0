// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseRefuses(t *testing.T) {
	good := hourly("1", "")
	with := func(what, instead string) string { return strings.Replace(good, what, instead, 1) }
	tests := map[string]struct {
		text string
		want []string // line, key, value, what is accepted
	}{
		"nothing":           {"", []string{"empty", "version and prices"}},
		"a comment":         {"# prices\n", []string{"empty"}},
		"no YAML":           {"version: [", []string{"no YAML"}},
		"a list":            {"- 1", []string{"line 1: this is no mapping", `"version"`}},
		"two documents":     {"version: a\n---\nversion: b\n", []string{"more than one document"}},
		"no version":        {"prices: [{" + good + "}]", []string{"version is missing", "2026-09-17"}},
		"empty version":     {"version:\nprices: [{" + good + "}]", []string{"line 1: version has no value"}},
		"no prices":         {"version: v", []string{"prices: set a list of 1 to 2000 entries"}},
		"unknown top key":   {"version: v\nprice: 1\nprices: [{" + good + "}]", []string{`line 2: the key "price" isn't known`, `"prices"`}},
		"key twice":         {"version: v\nversion: w\nprices: [{" + good + "}]", []string{`line 2: the key "version" is there twice`}},
		"VAT in words":      {"version: v\nvat: yes\nprices: [{" + good + "}]", []string{`line 2: vat: "yes"`, "excluded, included"}},
		"an alias":          {"version: &v a\nvat: *v\nprices: [{" + good + "}]", []string{"line 2: vat has no value"}},
		"unknown key":       {string(file(with("kind", "sort"))), []string{`line 3: entry 1: the key "sort" isn't known`, "kind is missing"}},
		"entry is text":     {"version: v\nprices: [free]", []string{"line 2: entry 1: this is no mapping"}},
		"unknown kind":      {string(file(with("list", "guess"))), []string{`line 3: entry 1: kind: "guess"`, "list, contract, amortised, spot"}},
		"no date":           {string(file(with("2026-01-01", "soon"))), []string{`line 3: entry 1: valid_from: "soon"`, "2026-09-17T12:00:00+02:00"}},
		"no such day":       {string(file(with("2026-01-01", "2026-02-30"))), []string{"2026-02-30"}},
		"free":              {string(file(hourly("0", ""))), []string{`line 3: entry 1: amount: "0"`, "above 0, at most 1000000000"}},
		"negative":          {string(file(hourly("-1", ""))), []string{`amount: "-1"`}},
		"exponent":          {string(file(hourly("1e3", ""))), []string{`amount: "1e3"`, "decimal number"}},
		"German decimals":   {string(file(hourly(`"1,74"`, ""))), []string{`amount: "1,74"`, "decimal number"}},
		"too fine":          {string(file(hourly("0.0000000001", ""))), []string{"at most 9 digits behind the point"}},
		"dear":              {string(file(hourly("1000000000.1", ""))), []string{"1000000000.1"}},
		"no amount":         {string(file(with("amount: 1, ", ""))), []string{"amount is missing"}},
		"a sign":            {string(file(with("EUR", "€"))), []string{`currency: "€"`, "ISO 4217"}},
		"per year":          {string(file(with("per: hour", "per: year"))), []string{`per: "year"`, "hour, month"}},
		"month of nothing":  {string(file(with("per: hour", "per: month"))), []string{"month is missing", "calendar, 730h"}},
		"hour with month":   {string(file(hourly("1", ", month: 730h"))), []string{"month: it is not accepted with per: hour"}},
		"for a rack":        {string(file(with("for: gpu", "for: rack"))), []string{`for: "rack"`, "gpu, node"}},
		"GPUs of a GPU":     {string(file(hourly("1", ", gpus: 8"))), []string{`gpus: "8"`, "for: node only"}},
		"no GPUs":           {string(file(with("for: gpu", "for: node, gpus: 0"))), []string{`gpus: "0"`, "1 to 1024"}},
		"percent":           {string(file(hourly("1", ", committed_discount: 30"))), []string{`committed_discount: "30"`, "0.3 for 30 %"}},
		"all of it":         {string(file(hourly("1", ", committed_discount: 1"))), []string{`committed_discount: "1"`, "below 1"}},
		"VAT rate missing":  {string(file(hourly("1", ", vat: included"))), []string{"vat_rate is missing", "VAT included", "have it excluded"}},
		"VAT of 19":         {string(file(hourly("1", ", vat: included, vat_rate: 19"))), []string{`vat_rate: "19"`, "0.19 for 19 %"}},
		"null for any node": {string(file(hourly("1", ", node: null"))), []string{"node has no value", "leave the key out"}},
		"long text":         {string(file(hourly("1", ", node: "+strings.Repeat("x", 300)))), []string{"at most 256 bytes"}},
		"too many digits": {
			string(file(hourly("999999999.999999999", ", committed_discount: 0.0001, vat: included, vat_rate: 0.1901"))),
			[]string{"line 3: entry 1: amount", "round the amount"},
		},
		"same twice": {string(file(good, good)), []string{"line 4: the same keys and valid_from as in line 3 (every device)"}},
		"a tie": {
			string(file(hourly("1", ", model: a"), hourly("2", ", region: r"))),
			[]string{"lines 3 and 4: both are about model a, region r", "add an entry with all of these keys"},
		},
		"a tie that a later entry ends": {
			string(file(hourly("1", ", model: a"), hourly("2", ", region: r"),
				strings.Replace(hourly("3", ", model: a, region: r"), "2026-01-01", "2026-01-02", 1))),
			[]string{"lines 3 and 4"},
		},
		"too long": {strings.Repeat("#", MaxFileSize+1), []string{"1048577 bytes: at most 1048576"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(tt.text))
			require.Error(t, err)
			for _, want := range tt.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func TestParseTellsAllAtOnce(t *testing.T) {
	_, err := Parse(file("amount: x, currency: e"))
	for _, want := range []string{"valid_from", "kind", `amount: "x"`, `currency: "e"`, "for is", "per is"} {
		require.ErrorContains(t, err, want)
	}
}

// TestExampleFile loads docs/prices.yaml, and tells what its comments say.
func TestExampleFile(t *testing.T) {
	text, err := os.ReadFile("../../docs/prices.yaml")
	require.NoError(t, err)
	b, err := Parse(text)
	require.NoError(t, err)
	require.Equal(t, 5, b.Len())
	l40s := Facts{HostType: "n2.14d.g1-EU01", Model: "NVIDIA L40S"}
	require.Zero(t, exact(t, b, l40s, day("2026-09-17")).Cmp(rat("1740000000")))
	require.Zero(t, exact(t, b, l40s, day("2026-10-01")).Cmp(rat("1218000000")))
	a100 := Facts{Model: "NVIDIA A100-SXM4-80GB", GPUs: 8}
	require.Zero(t, exact(t, b, a100, day("2026-02-01")).Cmp(rat("38000000000000/5376")))
	a100.CapacityType = "spot"
	require.Zero(t, exact(t, b, a100, day("2026-02-01")).Cmp(rat("2100000000")))
	require.Zero(t, exact(t, b, Facts{Node: "basement-1"}, day("2026-02-01")).Cmp(rat("2500000000000/2920")), "2,975 is 2,500 with VAT")
}

func TestTiesThatAreNone(t *testing.T) {
	book(t, hourly("1", ""), hourly("2", ", model: a"), hourly("3", ", model: b"), hourly("4", ", model: a, region: r"))
	book(t, hourly("1", ", model: a"), hourly("2", ", region: r"), hourly("3", ", model: a, region: r"))
	book(t, hourly("1", ", model: a, region: q"), hourly("2", ", region: r"))
	b := book(t, hourly("1", ", model: a, region: r"), hourly("2", ", node: n"))
	require.Zero(t, exact(t, b, Facts{Node: "n", Model: "a", Region: "r"}, day("2026-09-17")).Cmp(rat("2000000000")), "its node goes first")
}

// FuzzParse: whatever the file, Parse accepts or refuses it, and what it accepts
// has a price or a reason.
func FuzzParse(f *testing.F) {
	f.Add(file(hourly("1.74", ", model: a")))
	f.Add(file("valid_from: 2026-01-01T00:00:00Z, kind: spot, amount: 38000.5, currency: USD, for: node, gpus: 8, per: month, month: calendar"))
	f.Add([]byte("version: v\nvat: included\nprices: &p\n  - {vat_rate: 0.19, vat: excluded, <<: *p}\n"))
	f.Add([]byte("%YAML 1.1\n---\n!!binary AA: ? - : \n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := Parse(text)
		if (err == nil) != (b != nil) {
			t.Fatalf("book %v, error %v", b, err)
		}
		if err != nil {
			return
		}
		for _, e := range b.entries {
			facts := Facts{
				Node: e.match[byNode], HostType: e.match[byHostType], Model: e.match[byModel], Zone: e.match[byZone],
				Region: e.match[byRegion], CapacityType: e.match[byCapacityType], GPUs: 8,
			}
			p, why, until := b.At(facts, e.from)
			if why != "" || p.Rate.den == 0 || until <= e.from {
				t.Fatalf("%v from %d: %v, %q, until %d", e.match, e.from, p, why, until)
			}
		}
	})
}
