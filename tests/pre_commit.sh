#!/usr/bin/env bash
# Runs the hooks of .pre-commit-hooks.yaml through the real pre-commit, in repositories of its own.
#
#     tests/pre_commit.sh PROGRAM [FOLDER_OF_WHEELS]
#
# PROGRAM is what `stacklint-system` runs. With a folder that contains the wheel, `stacklint` is tested, too. Skipped with a
# message if python3, git or the package index is not available.
set -euo pipefail

program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
wheels=${2:+$(cd "$2" && pwd)}
root=$(cd "$(dirname "$0")/.." && pwd)

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
skip() { printf 'SKIPPED pre-commit: %s\n' "$1" >&2; exit 0; }
command -v python3 >/dev/null || skip "there is no python3"
python3 -m venv "$temp/venv" >/dev/null 2>&1 || skip "python3 cannot make environments"
"$temp/venv/bin/pip" install --quiet --disable-pip-version-check --timeout 20 --retries 1 pre-commit >"$temp/pip.log" 2>&1 ||
    skip "pre-commit cannot be installed: $(tail -n 1 "$temp/pip.log")"

while IFS= read -r name; do unset "$name"; done < <(env | sed -n 's/^\(GIT_[A-Z_]*\)=.*/\1/p')
export HOME=$temp PRE_COMMIT_HOME=$temp/cache GIT_CONFIG_GLOBAL=$temp/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --global user.name Tester
git config --global user.email tester@example.com
git config --global init.defaultBranch main
git config --global protocol.file.allow always
mkdir "$temp/bin"
ln -s "$program" "$temp/bin/stacklint"

# The hooks as they lie here, also what is not committed yet.
git clone --quiet "$root" "$temp/hooks"
cp "$root/.pre-commit-hooks.yaml" "$root/pyproject.toml" "$root/setup.py" "$root/Cargo.toml" "$temp/hooks"
git -C "$temp/hooks" add --all
git -C "$temp/hooks" commit --quiet --allow-empty --message hooks
revision=$(git -C "$temp/hooks" rev-parse HEAD)

failed=0
# check NAME STATUS TEXT COMMAND...: the command ends with this status (0 or 1 for any other) and says this.
check() {
    local name=$1 wanted=$2 text=$3 got=0 said
    shift 3
    said=$("$@" 2>&1) || got=1
    if [ "$got" = "$wanted" ] && [[ $said == *"$text"* ]]; then
        printf 'ok      %s\n' "$name"
    else
        printf 'FAILED  %s: status %s, wanted %s and %q in\n%s\n' "$name" "$got" "$wanted" "$text" "$said"
        failed=1
    fi
}
commit() { git commit --quiet --message change "$@"; }

try() {
    local id=$1 stack=stacks/deploy/dev.yaml
    rm -rf "$temp/project"
    git init --quiet "$temp/project"
    cd "$temp/project"
    printf 'repos:\n- repo: %s\n  rev: %s\n  hooks: [{id: %s}]\n' "$temp/hooks" "$revision" "$id" >.pre-commit-config.yaml
    mkdir -p stacks/deploy stacks/catalog
    printf 'base_path: .\nstacks: {base_path: stacks, included_paths: ["deploy/**/*"], name_pattern: "{stage}"}\n' >atmos.yaml
    printf 'import: [catalog/base]\nvars: {stage: dev}\n' >$stack
    printf 'components: {terraform: {vpc: {vars: {cidr: 10.0.0.0/16}}}}\n' >stacks/catalog/base.yaml
    git add --all
    git commit --quiet --message first
    pre-commit install >/dev/null

    sed -i.bak s/10.0/10.1/ stacks/catalog/base.yaml && rm stacks/catalog/base.yaml.bak
    git add --all
    check "$id: a good commit passes" 0 Passed commit

    echo 'import: [catalog/absent]' >$stack
    git add --all
    printf 'import: [catalog/base]\nvars: {stage: dev}\n' >$stack
    check "$id: what is wrong in the index fails, mended in the worktree or not" 1 unresolved-import commit
    git add --all

    echo 'import: [catalog/absent]' >$stack
    echo words >README.md
    git add README.md
    check "$id: what is not staged does not matter" 0 Passed commit
    git checkout --quiet -- $stack

    git rm --quiet stacks/catalog/base.yaml
    check "$id: a file that is taken away counts" 1 unresolved-import commit
    git reset --quiet --hard

    echo more >README.md
    git add README.md
    local took
    took=$(pre-commit run --verbose | sed -n 's/^- duration: \([0-9.]*\)s$/\1/p')
    check "$id: a commit without stacks takes under 0.3 s (took ${took:-?} s)" 0 '' \
        awk -v took="${took:-9}" 'BEGIN { exit took >= 0.3 }'
    cd "$root"
}

PATH=$temp/bin:$temp/venv/bin:$PATH try stacklint-system
if [ -n "$wheels" ]; then
    # Without the program on the PATH: what runs is what pip installed.
    PIP_FIND_LINKS=$wheels PATH=$temp/venv/bin:$PATH try stacklint
fi
exit "$failed"
