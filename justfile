# The available commands. `just` lists them; every recipe is a plain command that also works without just.

shared := "../shared"

# List the commands
default:
    @just --list

# Build the release binary
build:
    cargo build --release

# Run all tests
test:
    cargo test

# Review changed snapshots (needs cargo-insta)
review:
    cargo insta review

# Format, clippy and documentation
lint:
    cargo fmt --check
    cargo clippy --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps

# Show the diff of the built-in example
demo *OPTIONS:
    cargo run -- demo {{OPTIONS}}

# Check that versions, archives, wheels, formula, flake and the table in docs/install.md agree
publish-check:
    python3 packaging/publish_check.py --self-test
    python3 packaging/publish_check.py

# Run all checks that a change must pass
ci:
    .ci/run

# Compare with recorded results of the real Atmos, if they are beside the project
conformance *OPTIONS: build
    python3 {{shared}}/conformance/run.py --bin target/release/stacklint {{OPTIONS}}

# Measure on generated repositories
bench *OPTIONS: build
    python3 bench/measure.py {{OPTIONS}}

# Build the site into target/site (needs mdBook: cargo install mdbook --locked)
site:
    cargo build
    python3 docs/site.py

# Write everything that is generated anew: pages, output of commands on pages, the picture in the README
pages:
    cargo build
    python3 docs/picture.py
    UPDATE_PAGES=1 cargo test --test rules index
    UPDATE_PAGES=1 cargo test --test cli docs
