#!/usr/bin/env bash
# Builds the wheel, installs it with pip into a new environment and runs the demonstration from there.
#
#     packaging/try-wheel.sh [FOLDER]     # where the wheel is kept; target/wheels otherwise
#
# Compiles in release. Needs python3 with pip and the package index, for maturin.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
wheels=${1:-$root/target/wheels}
mkdir -p "$wheels"
wheels=$(cd "$wheels" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

python3 -m venv "$temp/build"
"$temp/build/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.7,<2'
(cd "$root/packaging/wheel" && "$temp/build/bin/maturin" build --release --out "$wheels")

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
python3 -m venv "$temp/use"
"$temp/use/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$wheels" --force-reinstall "stacklint==$version"
cd "$temp"
[ "$("$temp/use/bin/stacklint" --version)" = "stacklint $version" ]
"$temp/use/bin/stacklint" demo
