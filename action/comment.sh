#!/usr/bin/env bash
# Posts the report as a comment on the pull request. Without permission (on a fork, for example) it says so and continues: the summary of
# the job has the same report.
set -euo pipefail

notice() { printf '::notice title=stacklint::%s\n' "$(tr -d '\r\n%' <<<"$*")"; exit 0; }

case ${INPUT_COMMENT:-off} in
    off) exit 0 ;;
    update | new) ;;
    *) printf '::error title=stacklint::the input comment is update, new or off\n'; exit 2 ;;
esac
[ -n "${COMMENT_FILE:-}" ] && [ -f "$COMMENT_FILE" ] || exit 0
number=${PULL_REQUEST:-}
[[ $number =~ ^[0-9]+$ ]] || exit 0
[ -n "${GH_TOKEN:-}" ] || notice "no token, no comment: the report is in the summary of the job"
command -v gh >/dev/null || notice "there is no gh on this runner, so no comment: the report is in the summary of the job"

# An existing comment is updated even if nothing is left to report; no new one is created for that.
# The first line is a hidden marker of our comments.
MARKER=$(head -n 1 "$COMMENT_FILE")
export MARKER
comments=repos/$GITHUB_REPOSITORY/issues/$number/comments
# Anybody can write a comment that begins with the marker: only our own comments are changed.
AUTHOR=$(gh api graphql -f query='{ viewer { login } }' --jq .data.viewer.login 2>/dev/null) || AUTHOR=
AUTHOR=${AUTHOR:-github-actions[bot]}
export AUTHOR
id=
if [ "$INPUT_COMMENT" = update ]; then
    id=$(gh api --paginate "$comments?per_page=100" \
        --jq '.[] | select(.user.login == env.AUTHOR and (.body | startswith(env.MARKER))) | .id' 2>/dev/null | head -n 1) || id=
fi
if [ -n "$id" ]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F "body=@$COMMENT_FILE" ||
        notice "the comment could not be changed (a pull request from a fork has no right to): the report is in the summary of the job"
elif [ "${CHANGED:-}" = true ] || [ "${FINDINGS:-0}" != 0 ]; then
    gh api --silent --method POST "$comments" -F "body=@$COMMENT_FILE" ||
        notice "the comment could not be written (a pull request from a fork has no right to): the report is in the summary of the job"
fi
