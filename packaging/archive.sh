#!/usr/bin/env bash
# Builds the program for a target and packs it, with completions, manual pages and license, into an archive with a checksum.
#
#     packaging/archive.sh TARGET [FOLDER]     # x86_64-unknown-linux-musl: a static program; FOLDER is dist otherwise
#
# The machine must be able to run the target's programs, because completions and manual pages come from the program itself.
# PROFILE chooses the cargo profile (dist otherwise).
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
target=$1
out=${2:-dist}
profile=${PROFILE:-dist}
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
name=stacklint-$version-$target

cargo build --locked --profile "$profile" --target "$target"
folder=$profile
[ "$profile" != dev ] || folder=debug
built=${CARGO_TARGET_DIR:-target}/$target/$folder
program=stacklint
case $target in *windows*) program=stacklint.exe ;; esac

mkdir -p "$out"
stage=$out/$name
rm -rf "$stage"
mkdir -p "$stage/completions" "$stage/man"
cp "$built/$program" LICENSE README.md CHANGELOG.md "$stage/"
"$built/$program" completions bash >"$stage/completions/stacklint.bash"
"$built/$program" completions zsh >"$stage/completions/_stacklint"
"$built/$program" completions fish >"$stage/completions/stacklint.fish"
"$built/$program" completions powershell >"$stage/completions/_stacklint.ps1"
"$built/$program" man >"$stage/man/stacklint.1"
for command in diff check describe explain rules config hook ci; do
    "$built/$program" man "$command" >"$stage/man/stacklint-$command.1"
done

cd "$out"
case $target in
    *windows*) archive=$name.zip ;;
    *) archive=$name.tar.gz ;;
esac
python3 "$root/packaging/pack.py" "$name" "$archive"
if command -v sha256sum >/dev/null; then sha256sum "$archive"; else shasum -a 256 "$archive"; fi >"$archive.sha256"
printf '%s\n' "$out/$archive"
