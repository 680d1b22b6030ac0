// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import "reflect"

// fieldOf returns the field of a struct that has a key, and its rules.
func fieldOf(v reflect.Value, key string) (field reflect.Value, rules reflect.StructTag, ok bool) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch f.Tag.Get("key") {
		case "-":
			if field, rules, ok = fieldOf(v.Field(i), key); ok {
				return field, rules, true
			}
		case key:
			return v.Field(i), f.Tag, true
		}
	}
	return reflect.Value{}, "", false
}

// keysOf returns the keys of a type of a scenario, in order.
func keysOf(of reflect.Type) (keys []string) {
	for f := range of.Fields() {
		if key := f.Tag.Get("key"); key != "-" {
			keys = append(keys, key)
		} else {
			keys = append(keys, keysOf(f.Type)...)
		}
	}
	return keys
}

// setDefaults gives the fields of a struct the values that they have if their
// keys are left out.
func setDefaults(v reflect.Value) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		value, ok := f.Tag.Lookup("else")
		switch {
		case ok:
			if err := parseScalar(value, v.Field(i)); err != nil {
				panic("the default of " + f.Name + ": " + err.Error())
			}
		case f.Type.Kind() == reflect.Struct && f.Type != timeType:
			setDefaults(v.Field(i))
		}
	}
}
