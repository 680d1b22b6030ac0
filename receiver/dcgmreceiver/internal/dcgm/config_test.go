// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgm

import (
	"strings"
	"testing"
)

func TestEndpoint(t *testing.T) {
	for text, want := range map[string]endpoint{
		"localhost:5555":           {"localhost:5555", false},
		"tcp://10.0.0.1:5555":      {"10.0.0.1:5555", false},
		"[::1]:5555":               {"[::1]:5555", false},
		"unix:///run/dcgm.sock":    {"/run/dcgm.sock", true},
		"tcp://[fe80::1%eth0]:555": {"[fe80::1%eth0]:555", false},
	} {
		if got, err := parseEndpoint(text); got != want || err != nil {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "localhost", ":5555", "localhost:", "unix://", "unix://run", "http://localhost:5555", "/run/dcgm.sock"} {
		if got, err := parseEndpoint(text); err == nil || !strings.Contains(err.Error(), "want host:port") {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
}

func TestValidate(t *testing.T) {
	for name, test := range map[string]struct {
		config Config
		want   string // in the error; "" if it is fine
	}{
		"auto":               {Config{Mode: Auto, Endpoint: DefaultEndpoint}, ""},
		"embedded":           {Config{Mode: Embedded, LibraryPath: "/opt/libdcgm.so.4"}, ""},
		"embedded, endpoint": {Config{Mode: Embedded, Endpoint: "localhost:5555"}, "leave it out"},
		"no mode":            {Config{Endpoint: DefaultEndpoint}, `mode: "": want auto, standalone or embedded`},
		"no endpoint":        {Config{Mode: Standalone}, `endpoint: ""`},
		"relative library":   {Config{Mode: Auto, Endpoint: DefaultEndpoint, LibraryPath: "libdcgm.so.4"}, "library_path"},
	} {
		err := test.config.Validate()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}
