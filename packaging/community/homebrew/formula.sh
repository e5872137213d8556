#!/usr/bin/env bash
# Writes the Homebrew formula of a release from its archives' checksums, to standard output.
#
#     packaging/community/homebrew/formula.sh DIST     # a folder with the *.sha256 files that packaging/archive.sh writes
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
dist=$1
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
text=$(sed "s/@VERSION@/$version/g" "$root/packaging/community/homebrew/stacklint.rb.in")
while [[ $text =~ @SHA256:([a-z0-9_-]+)@ ]]; do
    target=${BASH_REMATCH[1]}
    file=$dist/stacklint-$version-$target.tar.gz.sha256
    [ -f "$file" ] || { printf '%s is missing\n' "$file" >&2; exit 1; }
    sum=$(cut -d ' ' -f 1 "$file")
    [[ $sum =~ ^[0-9a-f]{64}$ ]] || { printf '%s holds no checksum\n' "$file" >&2; exit 1; }
    text=${text//"@SHA256:$target@"/$sum}
done
printf '%s\n' "$text"
