#!/usr/bin/env bash
# Installs the program into a folder of the runner, verifies its checksum and its origin, and writes its path into the output `binary`.
set -euo pipefail

say() { printf '%s\n' "$*"; }
# Prints a message as an annotation: no line ends, no percent signs.
fail() { say "::error title=stacklint::$(tr -d '\r\n%' <<<"$*")"; exit 2; }
output() { printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }

if [ -n "${INPUT_BINARY:-}" ]; then
    found=$(command -v -- "$INPUT_BINARY") || fail "there is no program $INPUT_BINARY"
    output binary "$found"
    exit 0
fi

version=${INPUT_VERSION:-}
if [ -z "$version" ]; then
    # The version of the action itself.
    version=$(sed -n 's/^version = "\([^"]*\)"$/\1/p' "$ACTION_PATH/Cargo.toml" | head -n 1)
fi
version=${version#v}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+([-+.][0-9A-Za-z.-]+)?$ ]] || fail "$version is no version"
if [ -z "${ACTION_REPOSITORY:-}" ] && [[ $ACTION_PATH =~ /_actions/([^/]+/[^/]+)/ ]]; then
    ACTION_REPOSITORY=${BASH_REMATCH[1]}
fi
[ -n "${ACTION_REPOSITORY:-}" ] || fail "the action does not know its repository: set the input binary to the path of a program"

case "${RUNNER_OS:-}-${RUNNER_ARCH:-}" in
    Linux-X64) target=x86_64-unknown-linux-musl ;;
    Linux-ARM64) target=aarch64-unknown-linux-musl ;;
    macOS-X64) target=x86_64-apple-darwin ;;
    macOS-ARM64) target=aarch64-apple-darwin ;;
    Windows-X64) target=x86_64-pc-windows-msvc ;;
    *) fail "there is no program for ${RUNNER_OS:-this system} on ${RUNNER_ARCH:-this machine}: build one and set the input binary to its path" ;;
esac
name=stacklint-$version-$target
archive=$name.tar.gz
[ "${RUNNER_OS:-}" != Windows ] || archive=$name.zip
url=${GITHUB_SERVER_URL:-https://github.com}/$ACTION_REPOSITORY/releases/download/v$version

folder=$RUNNER_TEMP/stacklint-$version
mkdir -p "$folder"
cd "$folder"
for file in "$archive" "$archive.sha256"; do
    curl --fail --silent --show-error --location --retry 3 --proto '=https' --proto-redir '=https' --output "$file" "$url/$file" || fail "cannot download $url/$file"
done
if command -v sha256sum >/dev/null; then sum=(sha256sum); else sum=(shasum -a 256); fi
wanted=$(cut -d ' ' -f 1 "$archive.sha256")
# What this commit of the action records of its program, if it does: `HASH  ARCHIVE` in each line.
recorded=
if [ -f "$ACTION_PATH/action/checksums" ]; then
    recorded=$(awk -v name="$archive" '$2 == name { print $1 }' "$ACTION_PATH/action/checksums")
fi
got=$("${sum[@]}" "$archive" | cut -d ' ' -f 1)
[ -n "$wanted" ] && [ "$wanted" = "$got" ] || fail "$archive has the checksum $got, not $wanted"
# The checksum beside the archive comes from the same place as the archive: either this commit of the action knows a checksum, or the
# attestation says which workflow built it from which commit. Without one of both nothing is run.
if [ -n "$recorded" ]; then
    [ "$recorded" = "$got" ] || fail "$archive has the checksum $got, and the action records $recorded"
elif [ -n "${GH_TOKEN:-}" ] && command -v gh >/dev/null && gh attestation verify --help >/dev/null 2>&1; then
    signer=(--repo "$ACTION_REPOSITORY" --signer-workflow "$ACTION_REPOSITORY/.github/workflows/release.yml" --source-ref "refs/tags/v$version")
    # An action that is pinned by commit takes the program of that commit.
    if [ -z "${INPUT_VERSION:-}" ] && [[ ${ACTION_REF:-} =~ ^[0-9a-f]{40}$ ]]; then signer+=(--source-digest "$ACTION_REF"); fi
    gh attestation verify "$archive" "${signer[@]}" >/dev/null || fail "$archive was not made by the release workflow of $ACTION_REPOSITORY from ${ACTION_REF:-v$version}"
else
    fail "the origin of $archive cannot be verified: that needs gh and a token, an action that records its checksum, or the input binary with the path of a program"
fi
case $archive in
    *.zip) 7z x -y "$archive" >/dev/null ;;
    *) tar -xzf "$archive" ;;
esac
program=$folder/$name/stacklint
[ "${RUNNER_OS:-}" != Windows ] || program=$program.exe
[ -x "$program" ] || fail "$archive holds no program"
output binary "$program"
