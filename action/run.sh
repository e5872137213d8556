#!/usr/bin/env bash
# Fetches what the comparison needs, and reviews the change. The exit code goes into the output `exit-code`, so that the steps
# after this one (comment, upload) run first; action/finish.sh exits with it.
set -euo pipefail

output() { printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }

arguments=(-C "${INPUT_WORKING_DIRECTORY:-.}")
while IFS= read -r path; do
    [ -z "$path" ] || arguments+=(--config "$path")
done <<<"${INPUT_CONFIG:-}"
while IFS= read -r path; do
    [ -z "$path" ] || arguments+=("--project=$path")
done <<<"${INPUT_PROJECT:-}"
arguments+=(ci --reports "${RUNNER_TEMP:?}/stacklint-reports")
[ -z "${INPUT_BASE:-}" ] || arguments+=("--base=$INPUT_BASE")
[ -z "${INPUT_HEAD:-}" ] || arguments+=("--head=$INPUT_HEAD")
[ -z "${INPUT_FAIL_ON:-}" ] || arguments+=("--fail-on=$INPUT_FAIL_ON")
[ -z "${INPUT_EXPECT:-}" ] || arguments+=("--expect=$INPUT_EXPECT")
read -r -d '' -a accepted <<<"${INPUT_ACCEPT:-}" || true
for one in ${accepted[@]+"${accepted[@]}"}; do arguments+=("--accept=$one"); done
[ "${INPUT_ANNOTATIONS:-true}" = true ] || arguments+=(--no-annotations)
[ -z "${INPUT_SARIF:-}" ] || arguments+=("--output=sarif=$INPUT_SARIF")
# Further options, separated by white space; nothing in them is expanded.
read -r -d '' -a more <<<"${INPUT_ARGS:-}" || true
arguments+=(${more[@]+"${more[@]}"})

# The program uses no network: it says what the clone lacks, and this fetches it. A complete clone stays complete.
needs() { "$BINARY" "${arguments[@]}" --needs 2>/dev/null || true; }
# The program names the git directory, so that git does not search for one: a change could commit another one.
repository=
guarded() { git --git-dir="$repository" -c safe.bareRepository=explicit -c protocol.ext.allow=never -c core.hooksPath=/dev/null "$@"; }
fetch() { guarded fetch --quiet --no-tags --no-recurse-submodules "$@" || true; }
# What a partial clone lacks of a commit.
objects() {
    guarded rev-list --objects --no-walk --missing=print "$1" | sed -n 's/^?//p' | fetch --stdin origin
}
# One missing object can hide others: three rounds are enough for a branch, then its history, and then its files.
for _ in 1 2 3; do
    depth=()
    while read -r what name; do
        case $what in
            repository)
                repository=$name
                [ "$(guarded rev-parse --is-shallow-repository 2>/dev/null || echo false)" != true ] || depth=(--depth=1) ;;
            commit) [[ ! $name =~ ^[0-9a-f]{40,64}$ ]] || fetch ${depth[@]+"${depth[@]}"} origin "$name" ;;
            branch) fetch ${depth[@]+"${depth[@]}"} origin "+refs/heads/$name:refs/remotes/origin/$name" ;;
            history) fetch --unshallow origin ;;
            objects) [[ ! $name =~ ^[0-9a-f]{40,64}$ ]] || objects "$name" ;;
        esac
    done < <(needs)
done

code=0
"$BINARY" "${arguments[@]}" || code=$?
output exit-code "$code"
