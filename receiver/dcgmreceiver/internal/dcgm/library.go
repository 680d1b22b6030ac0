// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
)

// soname is what the binding loads. A library of that name that is loaded
// already is taken, wherever it came from.
const soname = "libdcgm.so.4"

// load loads DCGM's library, so that the binding finds it. An empty path
// leaves the search to the dynamic linker. It is never unloaded: the binding
// loads and unloads it once more for each connection.
func load(path string) error {
	if path == "" {
		path = soname
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	if C.dlopen(name, C.RTLD_LAZY|C.RTLD_GLOBAL) == nil {
		return fmt.Errorf("%w: %s", engine.ErrNoLibrary, C.GoString(C.dlerror()))
	}
	return nil
}
