#!/usr/bin/env bash
# tests/graphs.sh STACKLINT: writes graphs for Graphviz and Mermaid, including some of a hostile repository, and parses them
# with these programs, from the npm registry. Skipped if that or Node.js is not available.
set -euo pipefail

stacklint=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "SKIPPED graphs: Node.js is not installed" >&2
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/graphs.mjs" "$work/"
echo '{"private": true}' >"$work/package.json"
if ! (cd "$work" && timeout 300 npm install --silent --no-audit --no-fund --ignore-scripts mermaid@11 @viz-js/viz@3 >/dev/null 2>&1); then
    echo "SKIPPED graphs: mermaid and viz-js cannot be installed" >&2
    exit 0
fi
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.com \
    GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.com

# commit TAG: the next commit of the repository in the current folder.
commit() {
    git add -A
    git commit -q -m "$1"
    git tag "$1"
}

# Signs of both languages, and markup, in names, and in the labels of edges.
mkdir -p "$work/hostile/stacks/deploy" "$work/hostile/stacks/catalog"
cd "$work/hostile"
git init -q .
# shellcheck disable=SC2016
evil='a"]; n9-->n8 %% \N <b>{|}|`$x` end; subgraph x'
quoted=${evil//\\/\\\\}
quoted=${quoted//\"/\\\"}
printf 'base_path: .\nstacks: {base_path: stacks, included_paths: ["deploy/**/*"], name_pattern: "{stage}"}\n' >atmos.yaml
printf 'vars: {x: 1}\n' >'stacks/catalog/a"] end;.yaml'
for stage in one two; do
    printf 'import: ["catalog/*"]\nlocals: {a: x, b: "{{ .locals.a }}"}\nvars: {stage: "%s"}\ncomponents: {terraform: {"%s": {metadata: {inherits: [base]}, settings: {depends_on: {1: {component: "%s gone"}, 2: {component: base}}}}, base: {vars: {x: %s}}}}\n' \
        "$stage" "$quoted" "$quoted" "$stage" >"stacks/deploy/dev.yaml"
    commit "$stage"
done
mkdir "$work/review"
cd "$work/review"
git init -q .
for state in base head; do
    cp -r "$here/../fixtures/review/$state/." .
    commit "$state"
done

for repository in "hostile one..two" "review base..head"; do
    read -r name range <<<"$repository"
    cd "$work/$name"
    for about in imports inheritance dependencies locals references modules; do
        for revisions in "" "$range"; do
            for format in dot mermaid json; do
                file="$work/$name-$about-${revisions:+change}.$format"
                # A stack of the fixture cannot be resolved, which ends with 1.
                "$stacklint" graph "$about" ${revisions:+"$revisions"} --all --format "$format" >"$file" 2>/dev/null || [ $? -eq 1 ]
            done
        done
    done
done
cd "$work"
node graphs.mjs "$work"/*.dot
