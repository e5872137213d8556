# What can be run here. `just` lists it; every recipe is a plain command that works without just, too.

shared := "../shared"

# This list
default:
    @just --list

# Build the release binary
build:
    cargo build --release

# Run all tests
test:
    cargo test

# Look at changed snapshots and accept or reject them (needs cargo-insta)
review:
    cargo insta review

# Format, clippy and documentation
lint:
    cargo fmt --check
    cargo clippy --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps

# Show the main job on the built-in example
demo *OPTIONS:
    cargo run -- demo {{OPTIONS}}

# All that a change must pass
ci:
    .ci/run

# Compare with the answers of the real Atmos, where they lie beside the project
conformance *OPTIONS: build
    python3 {{shared}}/conformance/run.py --bin target/release/stacklint {{OPTIONS}}

# Measure against the performance targets on generated repositories
bench *OPTIONS: build
    python3 {{shared}}/bench/targets.py --bin target/release/stacklint {{OPTIONS}}
