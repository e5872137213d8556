#!/usr/bin/env bash
# tests/page.sh STACKLINT: writes HTML reports, including one of a hostile repository, and tests them in headless
# Chromium. Skipped if there is no browser or no Node.js.
set -euo pipefail

stacklint=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
for name in chromium chromium-browser google-chrome; do
    browser=$(command -v "$name" || true)
    [ -n "$browser" ] && break
done
if [ -z "$browser" ] || ! command -v node >/dev/null; then
    echo "SKIPPED pages: Chromium (apt-get install chromium) or Node.js is not installed" >&2
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.com \
    GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.com

# commit FOLDER TAG: the next commit of the repository in the current folder.
commit() {
    cp -r "$1/." .
    git add -A
    git commit -q -m "$2"
    git tag "$2"
}

mkdir "$work/review" "$work/code" "$work/hostile" "$work/one" "$work/two"
cd "$work/review"
git init -q .
commit "$here/../fixtures/review/base" base
commit "$here/../fixtures/review/head" head
"$stacklint" report base..head --exit-zero --out "$work/change.html" >/dev/null 2>&1
"$stacklint" report --exit-zero --out "$work/state.html" >/dev/null 2>&1

# A value that the code of its component reads.
cd "$work/code"
git init -q .
mkdir -p stacks/deploy components/terraform/web
printf 'base_path: .\nstacks: {base_path: stacks, included_paths: ["deploy/**/*"], name_pattern: "{stage}"}\ncomponents: {terraform: {base_path: components/terraform}}\n' >atmos.yaml
printf 'vars: {stage: dev}\ncomponents:\n  terraform:\n    web:\n      vars:\n        size: 3\n' >stacks/deploy/dev.yaml
printf 'variable "size" {}\nvariable "stage" {}\nresource "aws_instance" "web" {\n  cores = var.size\n  name  = var.stage\n}\nmodule "lb" {\n  source  = "acme/lb/aws"\n  version = "1.2.0"\n  target  = aws_instance.web.id\n}\n' >components/terraform/web/main.tf
git add -A
git commit -q -m code
"$stacklint" report --exit-zero --out "$work/code.html" >/dev/null 2>&1

# Markup in every name and value.
evil='</script><img src=x onerror=alert(1)><b>'
for side in one two; do
    mkdir -p "$work/$side/stacks/deploy"
    printf 'base_path: .\nstacks: {base_path: stacks, included_paths: ["deploy/**/*"], name_pattern: "{stage}"}\n' >"$work/$side/atmos.yaml"
    printf 'vars: {stage: "dev%s"}\ncomponents: {terraform: {"%s": {vars: {"%s": "%s %s"}}}}\n' "${evil//\//}" "$evil" "$evil" "$evil" "$side" \
        >"$work/$side/stacks/deploy/dev.yaml"
done
cd "$work/hostile"
git init -q .
commit "$work/one" base
commit "$work/two" head
"$stacklint" report base..head --exit-zero --out "$work/hostile.html" >/dev/null 2>&1
"$stacklint" report --exit-zero --out "$work/hostile-state.html" >/dev/null 2>&1

node "$here/page.mjs" "$browser" "$work"/{change,state,code,hostile,hostile-state}.html
