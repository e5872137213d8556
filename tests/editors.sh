#!/usr/bin/env bash
# The language server in real clients: Neovim, pygls, and the extension for Visual Studio Code, which is compiled and packed.
# Each part is skipped, with a note, if its requirements are not installed and cannot be fetched.
#   tests/editors.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() { printf 'SKIPPED editors: %s\n' "$1" >&2; }

mkdir -p "$work/repo"
cp -r "$here/../fixtures/review/head/." "$work/repo"
git -C "$work/repo" init --quiet

if command -v nvim >/dev/null; then
    run=(nvim --headless -u NONE -i NONE --cmd "cd $work/repo" -c "luafile $here/editors/neovim.lua")
    if ! PROGRAM=$program timeout 120 "${run[@]}" 2>"$work/nvim" || ! grep -q "neovim: ok" "$work/nvim"; then
        cat "$work/nvim" >&2
        exit 1
    fi
    echo "neovim: ok"
else
    skip "nvim is not installed"
fi

if python3 -m venv "$work/venv" 2>/dev/null && timeout 120 "$work/venv/bin/pip" install --quiet pygls 2>/dev/null; then
    timeout 120 "$work/venv/bin/python" "$here/editors/pygls_client.py" "$program" "$work/repo"
else
    skip "pygls cannot be installed"
fi

if command -v npm >/dev/null && cp -r "$here/../editors/vscode" "$work/vscode" && rm -rf "$work/vscode/node_modules" && cd "$work/vscode" &&
    timeout 300 npm install --silent --no-audit --no-fund >/dev/null 2>&1; then
    npm run --silent package >"$work/package" 2>&1 || { cat "$work/package" >&2; exit 1; }
    python3 - "$work/vscode" <<'PYTHON'
import json, sys, zipfile
folder = sys.argv[1]
names = zipfile.ZipFile(folder + "/stacklint.vsix").namelist()
main = json.load(open(folder + "/package.json"))["main"].removeprefix("./")
assert "extension/" + main in names, names
assert not any("node_modules" in name or name.endswith(".ts") for name in names), names
PYTHON
    echo "extension for Visual Studio Code: ok"
else
    skip "npm is not installed, or has no registry"
fi
