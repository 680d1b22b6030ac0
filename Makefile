# Copyright The otelcol-gpu Authors
# SPDX-License-Identifier: Apache-2.0

# `make` alone prints the targets. Works with GNU make 3.81 or newer and any
# POSIX shell.

.DEFAULT_GOAL := help

# The version has one home: the builder's manifest.
VERSION := $(shell sed -n 's/^  version: //p' builder-config.yaml)

# The small build: of Prometheus' service discoveries only the Kubernetes one
# (no cloud SDKs), gRPC without golang.org/x/net/trace, no symbol table.
TAGS    := remove_all_sd,enable_kubernetes_sd,grpcnotrace
LDFLAGS := -s -w

# Every target compiles with the same flags, so that the few hundred packages
# of the collector are compiled once per platform and not once per target.
export GOFLAGS := $(strip $(shell go env GOFLAGS) -trimpath -tags=$(TAGS))
# A static binary. Only the race detector needs a C compiler.
CGO_ENABLED ?= 0
export CGO_ENABLED

TOOL  := go tool -modfile=tools/go.mod
BUILD := go build -ldflags='$(LDFLAGS)'

# What `make test` hands to the race detector: the code that the collector
# calls concurrently, and what of gpusim sends and receives. `make test RACE=`
# leaves it out (no C compiler).
RACE      ?= -race
RACE_PKGS ?= ./processor/... ./receiver/... $(addprefix ./cmd/gpusim/internal/,drive sink replay)
# The code whose speed is watched.
BENCH      ?= .
BENCH_PKGS ?= ./internal/ledger/... ./internal/gpupdata/... ./processor/...
FUZZTIME   ?= 30s
# How many times each test of `make restart` kills the collector.
KILLS      ?= 50
# Where `make cross` has to compile and link.
CROSS      ?= linux/amd64 linux/arm64 darwin/arm64 windows/amd64
# The files of the recording that `make real-data` replays, as .csv or .csv.gz.
RECORDING  := gpu_duty_cycle gpu_memory_used_bytes qps

# Kubernetes for `make e2e`, of the version that its module asks for. It tells
# that version to its clients, and no node joins an older API server.
KUBE         := $(CURDIR)/bin/kube
KUBE_VERSION := $(shell sed -n 's,^	k8s.io/kubernetes ,,p' test/kube/go.mod)
KUBE_MAJOR   := $(patsubst v%,%,$(word 1,$(subst ., ,$(KUBE_VERSION))))
KUBE_MINOR   := $(word 2,$(subst ., ,$(KUBE_VERSION)))
KUBE_LDFLAGS := $(LDFLAGS) $(foreach p,k8s.io/component-base/version k8s.io/client-go/pkg/version, \
	-X $p.gitVersion=$(KUBE_VERSION) -X $p.gitMajor=$(KUBE_MAJOR) -X $p.gitMinor=$(KUBE_MINOR))

# What the kubelet runs containers with, in a module of its own: containerd asks
# for other versions than Kubernetes. Without snapshotters that nobody uses. runc
# is built without libseccomp, so that no C library is needed.
ENGINE_TAGS := $(TAGS),no_btrfs,no_devmapper,no_zfs,no_tracing

# Our own packages, without the generated main package.
OWN = $$(go list -f '{{.Dir}}' ./... | grep -v '/distribution$$')

##@ Build

.PHONY: help
help: ## Print this list
	@printf 'otelcol-gpu %s\n\nmake TARGET [NAME=value ...]\n' '$(VERSION)'
	@awk -F ':.*## ' \
		'/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z][a-z0-9-]*:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: generate
generate: ## Write distribution/ from builder-config.yaml
	$(TOOL) builder --skip-get-modules --skip-compilation --config builder-config.yaml

.PHONY: build
build: ## Build bin/otelcol-gpu and bin/gpusim, print their sizes
	@mkdir -p bin
	$(BUILD) -o bin/otelcol-gpu ./distribution
	$(BUILD) -o bin/gpusim ./cmd/gpusim
	@for f in bin/otelcol-gpu bin/gpusim; do \
		wc -c < $$f | awk -v f=$$f '{ printf "%-18s %6.1f MB\n", f, $$1 / 1e6 }'; \
	done

# DCGM's library is loaded by way of cgo, and calls are bound when they are made:
# no static link, no -z now.
.PHONY: build-dcgm
build-dcgm: cc ## Build bin/otelcol-gpu-dcgm, with cgo: the one that can load DCGM (Linux)
	@mkdir -p bin
	CC='$(CC)' CGO_ENABLED=1 $(BUILD) -o bin/otelcol-gpu-dcgm ./distribution

.PHONY: cc
cc:
	@command -v '$(CC)' > /dev/null || \
		{ echo "make: no C compiler '$(CC)', which DCGM's binding needs: install one (gcc, clang), or name it: make CC=..." >&2; exit 2; }

.PHONY: cross
cross: ## Compile and link for every platform in CROSS, without cgo
	@for platform in $(CROSS); do \
		echo "$$platform"; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} \
			$(BUILD) -o /dev/null ./distribution ./cmd/gpusim || exit 1; \
	done

# What distribution/Dockerfile puts into images.
.PHONY: image-files
image-files: ## Build the collector for the images of linux/amd64 and linux/arm64
	for arch in amd64 arm64; do \
		CGO_ENABLED=0 GOOS=linux GOARCH=$$arch $(BUILD) -o bin/linux_$$arch/otelcol-gpu ./distribution || exit 1; \
	done

.PHONY: clean
clean: ## Remove what the targets here have written
	rm -rf bin

##@ Check

.PHONY: test
test: build ## Run all tests, then those of concurrent code with the race detector
	OTELCOL_GPU='$(CURDIR)/bin/otelcol-gpu' GPUSIM='$(CURDIR)/bin/gpusim' \
		go test -shuffle=on -timeout=20m ./...
	$(if $(RACE),CGO_ENABLED=1 go test $(RACE) -shuffle=on -timeout=20m $(RACE_PKGS))

# The binding calls a C library by way of cgo. The one that it meets here is
# compiled by the tests. The collectors mostly wait: more of them than CPUs.
.PHONY: dcgm
dcgm: build build-dcgm ## Test the DCGM binding, and the collector with it, against a stand-in for DCGM's library (needs a C compiler)
	CC='$(CC)' CGO_ENABLED=1 go test -race -shuffle=on -timeout=5m ./receiver/dcgmreceiver/internal/dcgm/...
	CC='$(CC)' OTELCOL_GPU='$(CURDIR)/bin/otelcol-gpu' OTELCOL_GPU_DCGM='$(CURDIR)/bin/otelcol-gpu-dcgm' \
		go test -tags='dcgm,$(TAGS)' -shuffle=on -parallel=6 -count=1 -timeout=5m ./receiver/dcgmreceiver/internal/blackbox/...
	CC='$(CC)' GPUSIM='$(CURDIR)/bin/gpusim' OTELCOL_GPU_DCGM='$(CURDIR)/bin/otelcol-gpu-dcgm' \
		go test -tags='dcgm,$(TAGS)' -count=1 -timeout=5m ./examples/demo-dcgm
	$(HOUR) -run '^TestHour$$'

# The time of TestHour is simulated: an hour takes some five minutes.
HOUR = CC='$(CC)' CGO_ENABLED=1 OTELCOL_GPU_DCGM='$(CURDIR)/bin/otelcol-gpu-dcgm' \
	go test -tags='dcgm,$(TAGS)' -v -count=1 -timeout=30m ./receiver/dcgmreceiver/internal/hour

.PHONY: dcgm-hour
dcgm-hour: build-dcgm ## Sample 56 MIG instances every 100 ms for an hour, fail if a sample is lost or memory grows; print what each rate costs
	HOUR_DURATION=1h $(HOUR)

.PHONY: lint
lint: cc ## Run golangci-lint, formatters included; once more with cgo for the code behind it
	$(TOOL) golangci-lint run $(OWN)
	CC='$(CC)' CGO_ENABLED=1 $(TOOL) golangci-lint run ./receiver/dcgmreceiver/internal/dcgm/...

.PHONY: fmt
fmt: ## Format the code as lint wants it
	$(TOOL) golangci-lint fmt

.PHONY: verify-generated
verify-generated: generate ## Fail if distribution/ isn't what generate writes
	@changed=$$(git status --porcelain -- distribution) || exit 1; \
	if [ -n "$$changed" ]; then \
		git diff -- distribution; \
		printf '%s\ndistribution/ is out of date: run make generate and commit it\n' "$$changed" >&2; \
		exit 1; \
	fi

.PHONY: tidy-check
tidy-check: ## Fail if a go.mod isn't tidy
	go mod tidy -diff
	cd tools && go mod tidy -diff
	cd test/kube && go mod tidy -diff
	cd test/kube/engine && go mod tidy -diff
	cd test/helm && go mod tidy -diff

.PHONY: bench
bench: ## Run the benchmarks of the hot path (BENCH=regexp)
	go test -run='^$$' -bench='$(BENCH)' -benchmem $(BENCH_PKGS)

# How the suite in test/restart is run.
RESTART = OTELCOL_GPU='$(CURDIR)/bin/otelcol-gpu' RESTART_KILLS='$(KILLS)' RESTART_SEED='$(SEED)' \
	go test -tags='restart,$(TAGS)' -v

.PHONY: restart
restart: build ## Kill the collector at KILLS random moments of a simulated hour (SEED=n repeats)
	$(RESTART) -count=1 -timeout=10m ./test/restart/...

# How long `make churn` measures; it warms up for a minute before. PODS is how many
# pods there are at a time; without it, some 500 come and go in ten minutes.
DURATION ?= 30s
CHURN = OTELCOL_GPU='$(CURDIR)/bin/otelcol-gpu' CHURN_DURATION='$(DURATION)' CHURN_PODS='$(PODS)' \
	go test -tags='churn,$(TAGS)' -v -count=1 -timeout=2h ./receiver/k8sgpureceiver/internal/churn

.PHONY: churn
churn: build ## Let pods come and go beside the collector for DURATION, fail if it grows (Linux; PODS=n)
	$(CHURN)

.PHONY: soak
soak: DURATION = 10m
soak: build ## Kill it for twenty hours (1,000 kills of each kind), let 500 pods come and go in DURATION
	$(RESTART) -count=20 -timeout=2h ./test/restart/...
	$(CHURN)

# `$(PLANT)` are flags for a ledger with $$fault in it (internal/ledger/faults.go).
PLANT = -count=1 -timeout=5m -tags='ledgerfault,$(TAGS)' \
	-ldflags="-X $$(go list ./internal/ledger).planted=$$fault"

# A collector with that ledger, for the demo.
FAULTY = bin/otelcol-gpu-faulty

.PHONY: fault
fault: build ## Fail if a fault that is planted in the ledger isn't found
	@trap 'rm -f $(FAULTY)' EXIT; \
	by_property() { \
		fault=$$1; \
		out=$$(go test $(PLANT) -run "^($$2)$$" ./internal/ledger -rapid.nofailfile -rapid.shrinktime=1s 2>&1); \
		found=$$(echo "$$out" | awk '/^--- FAIL: TestProp/ { print $$3 }' | sort | xargs); \
		[ -n "$$found" ] || { echo "$$out"; echo "fault $$fault: not found by $$2" >&2; exit 1; }; \
		printf '%-6s found by %s' "$$fault" "$$found"; \
	}; \
	by_self_check() { \
		out=$$(go test $(PLANT) -v -run '^TestPlantedLedgerFault$$' ./processor/gpuaccountingprocessor 2>&1) && \
			echo "$$out" | grep -q '^--- PASS: TestPlantedLedgerFault' || \
			{ echo; echo "$$out"; echo "fault $$fault: not found by gpu.ledger.error" >&2; exit 1; }; \
		printf ', gpu.ledger.error'; \
	}; \
	by_demo() { \
		go build -tags='ledgerfault,$(TAGS)' -ldflags="$(LDFLAGS) -X $$(go list ./internal/ledger).planted=$$fault" -o $(FAULTY) ./distribution && \
			out=$$(OTELCOL_GPU='$(CURDIR)/$(FAULTY)' GPUSIM='$(CURDIR)/bin/gpusim' \
				go test -count=1 -timeout=5m -tags='ledgerfault,$(TAGS)' -v -run '^TestPlantedFault$$' ./examples/demo 2>&1) && \
			echo "$$out" | grep -q '^--- PASS: TestPlantedFault' || \
			{ echo; echo "$$out"; echo "fault $$fault: not found by the demo" >&2; exit 1; }; \
		printf ', the demo'; \
	}; \
	by_property share TestPropConservation; by_self_check; by_demo; echo; \
	by_property late 'TestPropLate|TestPropDuplicates'; by_self_check; echo; \
	by_property gap TestPropOracle; echo

# Now and then Go's fuzzer takes the end of its own time for a failure.
.PHONY: fuzz
fuzz: ## Run every fuzz function for FUZZTIME (default 30s)
	@list=$$(go test -list='^Fuzz' $(OWN)) || { echo "$$list"; exit 1; }; \
	list=$$(echo "$$list" | awk '/^Fuzz/ { f[n++] = $$1 } /^ok/ { for (i = 0; i < n; i++) print $$2, f[i]; n = 0 }'); \
	[ -n "$$list" ] || { echo "no fuzz function found" >&2; exit 1; }; \
	echo "$$list" | while read -r package name; do \
		echo "$$package $$name"; \
		once() { go test -run='^$$' -fuzz="^$$name\$$" -fuzztime='$(FUZZTIME)' "$$package" 2>&1; }; \
		out=$$(once) || case $$out in \
			*'Failing input'*) echo "$$out"; exit 1 ;; \
			*'context deadline exceeded'*) echo "$$out"; echo 'the time was over, no input failed: once more'; out=$$(once) || { echo "$$out"; exit 1; } ;; \
			*) echo "$$out"; exit 1 ;; \
		esac; \
		echo "$$out"; \
	done

##@ Try it

.PHONY: demo
demo: build ## Replay a day of 4 nodes with 8 GPUs each through the collector, print its account, check it (ARGS=...)
	examples/demo/run bin/otelcol-gpu bin/gpusim $(ARGS)

# In a folder of its own that goes: nobody shall take the stand-in for DCGM.
.PHONY: demo-dcgm
demo-dcgm: cc build build-dcgm ## Let the collector read a stand-in for DCGM, print its account, check it (ARGS=...; needs a C compiler)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
		library=$$(CC='$(CC)' go run ./receiver/dcgmreceiver/internal/standin/build-standin "$$folder") && \
		examples/demo-dcgm/run bin/otelcol-gpu-dcgm bin/gpusim "$$library" $(ARGS)

.PHONY: accuracy
accuracy: ## Hold the ledger to the truth in 30 scenarios, measure how far both are from what happens: docs/accuracy.md
	go test -count=1 -timeout=60m ./cmd/gpusim/internal/truth -run '^TestScenariosAreRight$$' -whole
	go test -count=1 -timeout=60m ./cmd/gpusim/internal/accuracy -whole -update

# How many nodes of 8 GPUs `make load` simulates.
NODES ?= 1000

.PHONY: load
load: build ## Send ten minutes of NODES nodes with 8 GPUs to a collector, print how fast that went (ARGS=...)
	examples/load/run bin/otelcol-gpu bin/gpusim --nodes '$(NODES)' --connections 2 --bundle 1s --timeout 5m $(ARGS)

##@ Kubernetes

# runc enters a container by way of C, before Go starts.
.PHONY: kube-build
kube-build: ## Build the Kubernetes, containerd and runc of `make e2e` into bin/kube (7 minutes the first time; needs a C compiler)
	@command -v '$(CC)' > /dev/null || \
		{ echo "make $@: no C compiler '$(CC)' for runc: install one (gcc, clang), or name it: make $@ CC=..." >&2; exit 2; }
	cd test/kube && go build -ldflags='$(KUBE_LDFLAGS)' -o '$(KUBE)/' ./cmd/...
	cd test/kube/engine && $(BUILD) -tags='$(ENGINE_TAGS)' -o '$(KUBE)/' \
		./cmd/containerd github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2
	cd test/kube/engine && CC='$(CC)' CGO_ENABLED=1 $(BUILD) -o '$(KUBE)/' github.com/opencontainers/runc

.PHONY: kube-root
kube-root:
	@[ "$$(uname -s) $$(id -u)" = 'Linux 0' ] || \
		{ echo "make e2e: a kubelet needs Linux and root, this is $$(uname -s) and user $$(id -un): run it as root" >&2; exit 2; }

.PHONY: e2e
e2e: kube-root build kube-build helm ## Run the collector on a real Kubernetes, and the Helm chart (needs Linux, root, a C compiler)
	cd test/kube && HELM='$(HELM)' OTELCOL_GPU='$(CURDIR)/bin/otelcol-gpu' KUBE_BIN='$(KUBE)' \
		go test -v -p 1 -parallel=24 -count=1 -timeout=9m ./...

##@ Helm

HELM := $(CURDIR)/bin/helm

.PHONY: helm
helm:
	cd test/helm && $(BUILD) -o '$(HELM)' helm.sh/helm/v3/cmd/helm

.PHONY: chart
chart: build helm ## Render the Helm chart, and let the collector check what it makes
	cd test/helm && OTELCOL_GPU='$(CURDIR)/bin/otelcol-gpu' HELM='$(HELM)' go test -count=1 ./...

##@ Real data

.PHONY: recording
recording:
	@if [ -z "$(DATA)" ]; then \
		echo "DATA is not set: make real-data DATA=<folder>. README.md says where to get the recording." >&2; exit 2; \
	fi; \
	for f in $(RECORDING); do \
		[ -f "$(DATA)/$$f.csv.gz" ] || [ -f "$(DATA)/$$f.csv" ] || \
			{ echo "$(DATA) has no $$f.csv.gz. README.md says where to get the recording." >&2; exit 2; }; \
	done

.PHONY: real-data
real-data: recording build ## Replay the recording in DATA through the collector, print its account (ARGS=...)
	examples/recording/run bin/otelcol-gpu bin/gpusim gentd26 --data "$(DATA)" $(ARGS)

.PHONY: real-data-check
real-data-check: recording build ## Replay the recording in DATA, compare with the reference totals
	OTELCOL_GPU='$(CURDIR)/bin/otelcol-gpu' GPUSIM='$(CURDIR)/bin/gpusim' GENTD26="$$(cd "$(DATA)" && pwd)" \
		go test -tags='realdata,$(TAGS)' -count=1 -v -timeout=20m ./test/realdata/...
