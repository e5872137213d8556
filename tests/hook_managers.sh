#!/usr/bin/env bash
# Runs the configuration of lefthook and husky in docs/hooks.md with the real lefthook and husky, from npm.
#
#     tests/hook_managers.sh PROGRAM
#
# Skipped with a message if npm or its registry cannot be reached.
set -euo pipefail

program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
page=$(cd "$(dirname "$0")/.." && pwd)/docs/hooks.md
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
skip() { printf 'SKIPPED hook managers: %s\n' "$1" >&2; exit 0; }
command -v npm >/dev/null || skip "there is no npm"

while IFS= read -r name; do unset "$name"; done < <(env | sed -n 's/^\(GIT_[A-Z_]*\|CI\)=.*/\1/p')
export HOME=$temp GIT_CONFIG_GLOBAL=$temp/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --global user.name Tester
git config --global user.email tester@example.com
git config --global init.defaultBranch main
mkdir "$temp/bin" "$temp/tools"
ln -s "$program" "$temp/bin/stacklint"
cd "$temp/tools"
echo '{"private": true}' >package.json
timeout 120 npm install --silent --no-audit --no-fund --fetch-retries 0 husky@9 lefthook@1 >npm.log 2>&1 || skip "husky and lefthook cannot be installed"
export PATH=$temp/bin:$temp/tools/node_modules/.bin:$PATH

# The block of the page after the line that names a file.
block() { awk -v name="\`$1\`:" '$0 == name { found = 1 } found && /^```/ { if (inside) exit; inside = 1; next } inside' "$page"; }

failed=0
try() {
    local name=$1 file=$2 install=$3
    git init --quiet "$temp/$name"
    cd "$temp/$name"
    mkdir -p stacks/deploy "$(dirname "$file")"
    printf 'base_path: .\nstacks: {base_path: stacks, included_paths: ["deploy/**/*"], name_pattern: "{stage}"}\n' >atmos.yaml
    printf 'vars: {stage: dev}\ncomponents: {terraform: {vpc: {vars: {size: 1}}}}\n' >stacks/deploy/dev.yaml
    $install >/dev/null
    block "$file" >"$file"
    git add --all
    git commit --quiet --message first >"$temp/out" 2>&1 || { printf 'FAILED  %s: a good commit does not pass\n' "$name"; cat "$temp/out"; failed=1; }
    printf 'import: [absent]\nvars: {stage: dev}\n' >stacks/deploy/dev.yaml
    git add --all
    if git commit --quiet --message bad >"$temp/out" 2>&1 || ! grep -q unresolved-import "$temp/out"; then
        printf 'FAILED  %s: a bad commit passes\n' "$name"
        cat "$temp/out"
        failed=1
    else
        printf 'ok      %s\n' "$name"
    fi
}
try husky .husky/pre-commit husky
# lefthook wants its configuration before it installs.
install_lefthook() { block lefthook.yml >lefthook.yml && lefthook install; }
try lefthook lefthook.yml install_lefthook
exit "$failed"
