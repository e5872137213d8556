#!/bin/sh
# Installs what a release consists of and runs the demonstration, on a machine without a compiler: each archive of this system with
# its checksum, and the wheel by pip, and by pipx and uv where these are installed. Reaches no network.
#
#     packaging/try-install.sh DIST [TARGET]     # TARGET is the archive's; that of a Linux program otherwise
#
# In a container: docker run --rm --network none --volume "$PWD:/work:ro" python:3.13-slim /work/packaging/try-install.sh /work/dist
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
dist=$(cd "$1" && pwd)
target=${2:-$(uname -m)-unknown-linux-musl}
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
tried=0

fail() { printf '%s\n' "$*" >&2; exit 1; }
for compiler in cargo rustc cc gcc clang; do
    if command -v "$compiler" >/dev/null; then
        [ -n "${ALLOW_COMPILER:-}" ] || fail "this machine has $compiler: a missing program would be compiled unseen"
    fi
done

# works HOW PROGRAM: whether the program is of this version and shows its example, in an empty environment.
works() {
    [ "$(env -i "$2" --version)" = "stacklint $version" ] || fail "$1: another version"
    (cd "$temp" && env -i HOME="$temp" "$2" demo) | grep -q '7 changes reach 24 components' || fail "$1: no example"
    printf '%s works\n' "$1"
    tried=$((tried + 1))
}

archive=stacklint-$version-$target.tar.gz
if [ -f "$dist/$archive" ]; then
    (cd "$dist" && sha256sum -c "$archive.sha256")
    tar -xzf "$dist/$archive" -C "$temp"
    for file in LICENSE README.md man/stacklint.1 completions/stacklint.bash; do
        [ -s "$temp/stacklint-$version-$target/$file" ] || fail "$archive lacks $file"
    done
    works "$archive" "$temp/stacklint-$version-$target/stacklint"
fi

if ls "$dist"/stacklint-"$version"-*.whl >/dev/null 2>&1; then
    python3 -m venv "$temp/venv"
    "$temp/venv/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$dist" "stacklint==$version"
    works "the wheel, by pip" "$temp/venv/bin/stacklint"
    if command -v pipx >/dev/null; then
        PIPX_HOME=$temp/pipx PIPX_BIN_DIR=$temp/bin pipx install --pip-args="--no-index --find-links $dist" \
            "stacklint==$version" >"$temp/pipx.log" 2>&1 || { cat "$temp/pipx.log" >&2; fail "pipx cannot install the wheel"; }
        works "the wheel, by pipx" "$temp/bin/stacklint"
    fi
    if command -v uvx >/dev/null; then
        uvx=$(command -v uvx)
        printf '#!/bin/sh\nexec env HOME="%s" UV_CACHE_DIR="%s/uv" "%s" --offline --no-index --find-links "%s" --python "%s" "stacklint@%s" "$@"\n' \
            "$temp" "$temp" "$uvx" "$dist" "$temp/venv/bin/python" "$version" >"$temp/by-uvx"
        chmod +x "$temp/by-uvx"
        works "the wheel, by uvx" "$temp/by-uvx"
    fi
fi
[ "$tried" -gt 0 ] || fail "$dist holds neither $archive nor a wheel of $version"
