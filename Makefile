# Curfew: `make help` lists the verbs.

SHELL := /bin/bash
PREFIX ?= /usr/local
DESTDIR ?=
# The build that users get: static, laid out for a quick start (docs/adr/0002-launch.md).
STATIC := .build-static
RELEASE := --scratch-path $(STATIC) -c release --static-swift-stdlib -Xswiftc -static-executable \
	-Xswiftc -enforce-exclusivity=unchecked -Xswiftc -Xfrontend -Xswiftc -disable-type-layout \
	-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
	-Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -use-ld=lld \
	-Xlinker --symbol-ordering-file=$(CURDIR)/.ci/hot-symbols.txt -Xlinker --no-warn-symbol-ordering
CURFEW := $(STATIC)/release/curfew
HELPER = $(dir $(CURFEW))curfew-help
TIMELINE = $(dir $(CURFEW))curfew-timeline
SCENARIOS = $(dir $(CURFEW))curfew-test
APPS = $(dir $(CURFEW))curfew-apps
TOP = $(dir $(CURFEW))curfew-top
SERVER = $(dir $(CURFEW))curfew-serve

# Where `make install` puts what.
ROOT := $(DESTDIR)$(PREFIX)
MANUAL := $(ROOT)/share/man/man1
BASH_COMPLETION := $(ROOT)/share/bash-completion/completions/curfew
ZSH_COMPLETION := $(ROOT)/share/zsh/site-functions/_curfew
FISH_COMPLETION := $(ROOT)/share/fish/vendor_completions.d/curfew.fish
VIM := $(ROOT)/share/vim/vimfiles
UNIT := $(ROOT)/lib/systemd/user/curfew.service
# The manual's: that of the last commit, so that a build can be repeated.
MANUAL_DATE = $(shell date -u -d @$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || date +%s)} +%F)

.PHONY: architecture help tour deps build debug test test-vm conformance unit shim integration together alone clients examples soak kills lives check format bench bench-picture core-step states reference mutants fuzz hot-symbols install uninstall clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

deps: ## install what building and testing need (Debian; asks for root where it isn't)
	.ci/deps

build: ## the static executable, .build-static/release/curfew
	swift build $(RELEASE) --product curfew
	swift build $(RELEASE) --product curfew-help
	swift build $(RELEASE) --product curfew-timeline
	swift build $(RELEASE) --product curfew-test
	swift build $(RELEASE) --product curfew-apps
	swift build $(RELEASE) --product curfew-top
	swift build $(RELEASE) --product curfew-serve

debug: ## everything, unoptimised
	swift build --build-tests

test: ## every test; what the README and CI call. Last, each test that was skipped, and why
	MAKE=$(MAKE) Tests/run "unit examples" "shim together clients" --then alone

unit: ## the core, the codecs, the engine, the command line's reading
	# One after the other: in one process a test's fork keeps another's closed pipe open for a moment, and a number that one
	# has closed is the next one's. The processors have the other lane's tests to run.
	swift test --no-parallel

shim: ## the C layer, each system call made to fail
	Tests/Shim/run.sh

integration: build ## real processes, real programs, real terminals (PART="test_limits.py -- -k memory" for some)
	CURFEW=$(CURDIR)/$(CURFEW) Tests/side_by_side $(if $(PART),$(addprefix Tests/Integration/,$(filter test_%.py,$(PART))) $(filter-out test_%.py,$(PART)),Tests/Integration)

# The same in two parts: what needs the machine for itself, and the rest.
together: build
	CURFEW=$(CURDIR)/$(CURFEW) Tests/side_by_side --only rest Tests/Integration

alone: build
	CURFEW=$(CURDIR)/$(CURFEW) Tests/side_by_side --only alone Tests/Integration

clients: build ## the client libraries, against a scripted supervisor and the real one
	CURFEW=$(CURDIR)/$(CURFEW) Tests/Clients/c/run.sh
	CURFEW=$(CURDIR)/$(CURFEW) Tests/side_by_side Tests/Clients Tests/Clients/pytest

examples: build ## run each example
	PATH=$(CURDIR)/$(STATIC)/release:$$PATH examples/run-all --jobs 2

soak: build debug ## the tests in Swift and in Python, the real processes' and the clients', ROUNDS=10 times, on a fifth of a processor (PART=test_limits.py for some)
	CURFEW=$(CURDIR)/$(CURFEW) Tests/soak --rounds $(or $(ROUNDS),10) $(or $(addprefix Tests/Integration/,$(PART)), \
		--swift $(wildcard .build/debug/*PackageTests.xctest) Tests/Integration Tests/Clients Tests/Clients/pytest)

kills: build ## a server killed at 500 random instants, on cgroups and on the tree (KILLS=500; SEED= as a failure told it), and its database at each write
	$(if $(SEED),,CURFEW_TEST_EVERY_CALL=1 swift test --no-parallel --filter CurfewStoreTests.KillTests)
	CURFEW=$(CURDIR)/$(CURFEW) CURFEW_TEST_KILLS=$(or $(KILLS),500) CURFEW_TEST_SEED=$(SEED) \
		Tests/side_by_side Tests/Integration/test_serve_kills.py

lives: ## 100,000 random lives each of schedules, with clocks that jump, and of apps, against their models (LIVES=100000)
	CURFEW_TEST_LIVES=$(or $(LIVES),100000) swift test --package-path Tests/Lives --scratch-path .build-lives \
		-c release -Xswiftc -enable-testing --filter '/lives\('

test-vm: build debug ## the kernel's side on pure cgroup v2, as root and as a user, in a virtual machine (Tests/VM/deps first)
	Tests/VM/run

conformance: build ## hold the machine's own GNU timeout to what the tests say of it, and show differences (RECORD=1 to write its answers down)
	@status=0; Tests/Conformance/run $(if $(RECORD),--record) || status=$$?; ((status != 69)) || exit $$status; \
	CURFEW=$(CURDIR)/$(CURFEW) CURFEW_TIMEOUTS=gnu Tests/side_by_side \
		$(addprefix Tests/Integration/test_timeout,.py _usage.py _caller.py _terminal.py) || status=1; exit $$status

check: ## format, lint, no Foundation in the core, no sleeping in tests, documents' links
	.ci/check

format: ## format the Swift sources in place
	swift format --in-place --recursive --parallel Sources Tests Package.swift

bench: build core-step ## every figure as a ratio against its peers, measured in one run (Tests/Bench/deps first; ROW=launch for one, QUICK=1)
	python3 Tests/Bench/bench.py --curfew $(CURDIR)/$(CURFEW) --results $(STATIC)/bench $(if $(QUICK),--quick) $(ROW) $(ROWS)

tour: build ## draw docs/tour.svg, which the README's tour opens with
	PATH=$(CURDIR)/$(STATIC)/release:$$PATH examples/tour.sh --draw

bench-picture: ## draw docs/bench.svg from the last whole run of make bench
	python3 Tests/Bench/picture.py $(STATIC)/bench/all.json docs/bench.svg

core-step:
	swift build $(RELEASE) --product core-step

architecture: ## draw docs/architecture.svg from the package's targets
	.ci/architecture > docs/architecture.svg.new && mv docs/architecture.svg.new docs/architecture.svg

states: ## draw docs/states.md, docs/states.svg and docs/learned-day.svg by the core
	swift build --product curfew-states
	.build/debug/curfew-states text > docs/states.md
	.build/debug/curfew-states picture > docs/states.svg
	.build/debug/curfew-states learned-day > docs/learned-day.svg

reference: ## write the statements' reference into docs/scenarios.md
	swift build --product curfew-test
	{ sed '/^## Headings/,$$d' docs/scenarios.md && .build/debug/curfew-test test --explain all; } > docs/scenarios.md.new \
		&& mv docs/scenarios.md.new docs/scenarios.md

mutants: ## break core, codecs, Linux layer and engine in some 230 places; each must fail a test (each is built and tested by itself)
	Tests/Mutants/run

fuzz: ## fuzz the codecs for a minute (SECONDS=60), keeping what reaches new code
	Tests/Fuzz/run $(or $(SECONDS),60)

hot-symbols: build ## record anew which functions a launch runs, for the linker to lay side by side
	.ci/hot-symbols $(CURFEW) > .ci/hot-symbols.new && mv .ci/hot-symbols.new .ci/hot-symbols.txt
	@# SwiftPM does not know that its next link needs this.
	rm -f $(CURFEW)

install: build ## into PREFIX, /usr/local by default (DESTDIR= to stage): programs, clients, manual, completions
	install -d $(ROOT)/bin $(ROOT)/libexec/curfew $(ROOT)/share/curfew $(ROOT)/include
	install -s -m 755 $(CURFEW) $(ROOT)/bin/curfew
	install -s -m 755 $(HELPER) $(ROOT)/libexec/curfew/curfew-help
	install -s -m 755 $(TIMELINE) $(ROOT)/libexec/curfew/curfew-timeline
	install -s -m 755 $(SCENARIOS) $(ROOT)/libexec/curfew/curfew-test
	install -s -m 755 $(APPS) $(ROOT)/libexec/curfew/curfew-apps
	install -s -m 755 $(TOP) $(ROOT)/libexec/curfew/curfew-top
	install -s -m 755 $(SERVER) $(ROOT)/libexec/curfew/curfew-serve
	install -m 644 Sources/clients/shell/curfew.sh $(ROOT)/share/curfew/curfew.sh
	install -m 644 Sources/clients/python/curfew.py $(ROOT)/share/curfew/curfew.py
	install -m 644 Sources/clients/c/curfew.h $(ROOT)/include/curfew.h
	for folder in syntax ftdetect ftplugin; do \
		install -D -m 644 Sources/editors/vim/$$folder/curfew.vim $(VIM)/$$folder/curfew.vim; done
	for file in $$(cd Sources/editors/vscode && find * -type f); do \
		install -D -m 644 Sources/editors/vscode/$$file $(ROOT)/share/curfew/vscode/$$file; done
	for file in Sources/sources/*.sh; do install -D -m 755 $$file $(ROOT)/share/curfew/sources/$$(basename $$file); done
	for file in curfew.conf look.sh; do install -D -m 644 Sources/tmux/$$file $(ROOT)/share/curfew/tmux/$$file; done
	install -d $(dir $(UNIT))
	umask 022 && sed 's|@BINDIR@|$(PREFIX)/bin|' Sources/systemd/curfew.service.in > $(UNIT)
	install -d $(MANUAL) $(dir $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION))
	umask 022 && set -e && for page in $$($(HELPER) --manual-pages); do \
		$(HELPER) --manual-page $$page $(MANUAL_DATE) > $(MANUAL)/$$page.1; done
	umask 022 && $(HELPER) --generate-completion-script bash > $(BASH_COMPLETION)
	umask 022 && $(HELPER) --generate-completion-script zsh > $(ZSH_COMPLETION)
	umask 022 && $(HELPER) --generate-completion-script fish > $(FISH_COMPLETION)
	@echo "A server of your apps that starts with your session (docs/server.md):"
	@echo "  systemctl --user enable --now curfew"
	@echo "Vim and VS Code highlight scenarios after:"
	@echo "  mkdir -p ~/.vim/pack/curfew/start && ln -s $(PREFIX)/share/vim/vimfiles ~/.vim/pack/curfew/start/curfew"
	@echo "  mkdir -p ~/.vscode/extensions && ln -s $(PREFIX)/share/curfew/vscode ~/.vscode/extensions/curfew"
	@echo "Panes of tmux that nobody looks at sleep with this in ~/.tmux.conf (docs/sleep.md):"
	@echo "  source-file $(PREFIX)/share/curfew/tmux/curfew.conf"

uninstall: ## undo `make install`
	@# What is installed knows its own pages.
	if [[ -x $(ROOT)/libexec/curfew/curfew-help ]]; then \
		for page in $$($(ROOT)/libexec/curfew/curfew-help --manual-pages); do rm -f $(MANUAL)/$$page.1; done; fi
	rm -f $(ROOT)/bin/curfew $(ROOT)/include/curfew.h $(UNIT) $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION)
	rm -f $(VIM)/syntax/curfew.vim $(VIM)/ftdetect/curfew.vim $(VIM)/ftplugin/curfew.vim
	rm -rf $(ROOT)/libexec/curfew $(ROOT)/share/curfew

clean: ## remove what building made
	swift package clean
	rm -rf $(STATIC) .build-lives
