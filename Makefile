# The two commands of the README are `make demo` and `make test`; both install what they need besides Rust and Node.js.

CARGO ?= cargo

.PHONY: demo test lint bench soak setup clean ui

demo: setup ui  ## crawl a made web on this machine and show what was found on a page
	$(CARGO) run --quiet --bin bowerbird -- demo

test: setup ui  ## every test
	@tools/need chromium chromium
	@PATH="$$PATH:/usr/sbin" tools/need nginx nginx
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || tools/need initdb postgresql
	@ls /usr/share/postgresql/*/extension/postgis.control >/dev/null 2>&1 || tools/need postgis.control postgresql-postgis
	@python3 -c 'import ensurepip' 2>/dev/null || tools/need python3-venv python3-venv
	$(CARGO) test --workspace --lib --bins --tests
	$(CARGO) test --workspace --doc
	# The program is there: the tests from end to end had it built.
	tools/schemathesis
	cd ui && BOWERBIRD=../target/debug/bowerbird npm run --silent test

lint: setup ui  ## formatting, clippy, documentation, the types of the page
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items
	cd ui && npm run --silent check

bench: setup  ## figures worth keeping: memory of the queue, speed of fetching, reading and making pages; pages side by side with other crawlers, photos with img2dataset
	for known in 1000000 5000000; do for hosts in 2000 500000; do \
	  $(CARGO) run --release --quiet -p bowerbird-store --example scale -- $$known $$hosts best 30 || exit 1; \
	done; done
	$(CARGO) run --release --quiet -p bowerbird-page --example throughput
	$(CARGO) run --release --quiet -p bowerbird-fetch --example requests_per_cpu_second
	$(CARGO) run --release --quiet -p bowerbird-lab --example measure
	$(CARGO) run --release --quiet -p bowerbird-watch --example million -- /tmp
	$(CARGO) build --release --quiet --bin bowerbird
	$(CARGO) build --release --quiet -p bowerbird-lab -p bowerbird-fetch --example pages --example ceiling
	bench/crawl/run
	bench/images/run
	bench/serve/run

soak: setup ui  ## the tests that take minutes, an hour of crawls while the machine fails at random (SOAK_MINUTES), then a minute of each fuzz target
	@tools/need c++ build-essential
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || tools/need initdb postgresql
	@ls /usr/share/postgresql/*/extension/postgis.control >/dev/null 2>&1 || tools/need postgis.control postgresql-postgis
	$(CARGO) test --release -p bowerbird --test end_to_end -- --ignored --nocapture --test-threads 1
	$(CARGO) build --release --quiet --bin bowerbird
	tools/soak

ui: ui/dist/index.html  ## build the web page, which the program embeds; nothing happens when it is up to date

UI_SOURCES := $(shell find ui/src ui/public -type f) $(addprefix ui/,index.html vite.config.ts svelte.config.js tsconfig.json)

ui/dist/index.html: ui/node_modules/.package-lock.json $(UI_SOURCES)
	cd ui && npm run --silent build
	@touch $@

# A registry that lacks packages for other systems makes npm ci refuse the lock file.
ui/node_modules/.package-lock.json: ui/package.json ui/package-lock.json
	@tools/node
	cd ui && { npm ci --no-audit --no-fund --loglevel=error 2>/dev/null || npm install --no-save --no-audit --no-fund --loglevel=error; }
	@touch $@

setup:
	@command -v $(CARGO) >/dev/null || { echo "Rust is missing: install 1.95 or newer from rustup.rs, then try again" >&2; exit 1; }
	@tools/need cc build-essential
	@tools/need pkg-config pkg-config
	@tools/need libturbojpeg.pc libturbojpeg0-dev
	@tools/need ffmpeg ffmpeg
	@tools/need heif-convert libheif-examples "HEIC pictures are not decoded"

clean:
	$(CARGO) clean
	rm -rf bowerbird-demo
