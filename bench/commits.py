#!/usr/bin/env python3
"""Look for commits of Terraform code that stacklint calls no effective change although a token differs.

    commits.py --bin target/release/stacklint [--commits 40] [--skip 0] REPOSITORY...

Takes the newest commits of each repository (a clone, or a bare one) that edit files of code or of variables, runs
`stacklint diff COMMIT^..COMMIT` over each, and compares the edited files without comments and layout itself. Prints each commit
whose verdict is "No effective change" although a token differs, and runs that fail; the last line counts. Exit 1 if there are any.
"""
import argparse, json, re, subprocess, sys

PATHS = ["*.tf", "*.tofu", "*.tfvars", "*.tf.json", "*.tfvars.json"]
TOKEN = re.compile(
    r'(?P<comment>#[^\n]*|//[^\n]*|/\*.*?\*/)|<<-?(?P<tag>\w+)\r?\n.*?\n[ \t]*(?P=tag)\b|"(?:\\.|[^"\\])*"|\w+|\S', re.S)


def tokens(text):
    return [m.group() for m in TOKEN.finditer(text) if not m.group("comment")]


def git(repo, *args):
    return subprocess.run(["git", "-C", repo, *args], capture_output=True, text=True, errors="replace", check=True).stdout


def blob(repo, name):
    shown = subprocess.run(["git", "-C", repo, "show", name], capture_output=True, text=True, errors="replace")
    return shown.stdout if shown.returncode == 0 else ""


def differing(repo, commit):
    """The edited files whose tokens differ."""
    names = git(repo, "diff", "--no-renames", "--name-only", "-z", f"{commit}^", commit, "--", *PATHS).split("\0")
    return [n for n in names if n and tokens(blob(repo, f"{commit}^:{n}")) != tokens(blob(repo, f"{commit}:{n}"))]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", required=True)
    ap.add_argument("--commits", type=int, default=40)
    ap.add_argument("--skip", type=int, default=0)
    ap.add_argument("repositories", nargs="+")
    a = ap.parse_args()
    seen = wrong = equal = unread = failed = 0
    for repo in a.repositories:
        log = git(repo, "log", "--no-merges", f"--max-count={a.commits}", f"--skip={a.skip}", "--min-parents=1", "--format=%H", "--", *PATHS)
        for commit in log.split():
            try:
                run = subprocess.run([a.bin, "diff", f"{commit}^..{commit}", "--format", "json"], cwd=repo, capture_output=True,
                                     text=True, errors="replace", timeout=120)
                report = json.loads(run.stdout)
            except (subprocess.TimeoutExpired, json.JSONDecodeError) as why:
                message = run.stderr.strip().splitlines()[-1:] if isinstance(why, json.JSONDecodeError) else ["more than 120 s"]
                failed += 1
                print(f"{repo} {commit[:12]}: no verdict: {' '.join(message)}")
                continue
            seen += 1
            if report.get("coverage", {}).get("unread"):
                # The headline says that files of code differ that nothing reads.
                unread += 1
                continue
            if not report.get("headline", "").startswith("No effective change"):
                continue
            equal += 1
            files = differing(repo, commit)
            if files:
                wrong += 1
                print(f"{repo} {commit[:12]}: {report['headline']} but tokens differ in {', '.join(files[:4])}")
    print(f"{seen} commits, {equal} without an effective change, {wrong} of these with other tokens, {unread} with unread code, {failed} without a verdict")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
