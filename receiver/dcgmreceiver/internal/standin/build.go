// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Library is the name under which DCGM's clients load it.
const Library = "libdcgm.so.4"

// binding is the module whose headers DCGM's ABI is taken from.
const binding = "github.com/NVIDIA/go-dcgm"

// Build compiles the stand-in into dir and returns the library's path. It
// needs the go command, a C compiler (CC, else cc), and the source tree that
// this package was compiled from.
func Build(ctx context.Context, dir string) (string, error) {
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "cc"
	}
	if _, err := exec.LookPath(compiler); err != nil {
		return "", fmt.Errorf("build the stand-in for %s: no C compiler %q: install one (gcc, clang), or name it in CC: %w",
			Library, compiler, err)
	}
	source, err := sources()
	if err != nil {
		return "", err
	}
	headers, err := headers(ctx, source)
	if err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(source, "*.c"))
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("build the stand-in for %s: no C files in %s", Library, source)
	}
	library := filepath.Join(dir, Library)
	args := []string{
		"-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC", "-fvisibility=hidden", "-shared",
		// nodelete: a client that unloads and loads it again meets the same engine.
		"-Wl,-soname," + Library, "-Wl,-z,nodelete", "-isystem", headers, "-o", library,
	}
	args = append(append(args, files...), "-lpthread")
	//nolint:gosec // the compiler is the one that the tester names
	if out, err := exec.CommandContext(ctx, compiler, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the stand-in for %s: %s: %w\n%s", Library, compiler, err, out)
	}
	return library, nil
}

// sources returns the folder of the C files. It is found from this file's
// own path, or, if that was trimmed, from the module's root.
func sources() (string, error) {
	const folder = "receiver/dcgmreceiver/internal/standin/libdcgm"
	_, file, _, _ := runtime.Caller(0)
	if dir := filepath.Join(filepath.Dir(file), "libdcgm"); filepath.IsAbs(dir) {
		return dir, nil
	}
	for dir, err := os.Getwd(); err == nil; dir = filepath.Dir(dir) {
		candidate := filepath.Join(dir, folder)
		if _, err := os.Stat(candidate); err == nil {
			return candidate, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return "", errors.New("build the stand-in for " + Library + ": run it inside the source tree, " + folder + " wasn't found")
}

// headers returns the folder of DCGM's headers in the module cache.
func headers(ctx context.Context, dir string) (string, error) {
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", binding)
	list.Dir = dir
	out, err := list.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	module := strings.TrimSpace(string(out))
	if err == nil && module == "" {
		err = errors.New("it isn't in the module cache: run go mod download " + binding)
	}
	if err != nil {
		return "", fmt.Errorf("build the stand-in for %s: find the headers of %s: %w", Library, binding, err)
	}
	return filepath.Join(module, "pkg", "dcgm"), nil
}
