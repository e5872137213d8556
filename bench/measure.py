#!/usr/bin/env python3
"""Measure stacklint on generated repositories, as ratios that say the same on a fast and on a slow machine.

The unit is the floor: what `git cat-file --batch` needs to read the files of both revisions in the same run. With --check
the exit code is 1 if a ratio is far above what it was when the limits were written down.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from generate import generate  # noqa: E402

MIB = 1024
COMMANDS = [
    ("diff, one component changed", "leaf", ["diff", "base..head", "--format", "json"]),
    ("diff, every component changed", "all", ["diff", "base..head", "--format", "json"]),
    ("check", "leaf", ["check", "--rev", "head", "--format", "json"]),
    ("describe stacks", "leaf", ["describe", "stacks", "--rev", "head", "--format", "json"]),
]
# Above which ratio to the floor --check fails, for 40 stacks of 100 components: about three times what was measured.
LIMITS = {
    "diff, one component changed": 26,
    "diff, every component changed": 660,
    "check": 290,
    "describe stacks": 290,
}


def measure(command, cwd, runs, env=None):
    """User CPU and wall time (least of the runs, in seconds) and peak memory (MiB)."""
    user, wall, memory = [], [], 0
    for _ in range(runs):
        start = time.perf_counter()
        with subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=env) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            sys.exit(f"{' '.join(map(str, command))}: exit {process.returncode}")
        user.append(usage.ru_utime)
        wall.append(time.perf_counter() - start)
        memory = max(memory, usage.ru_maxrss / MIB)
    return min(user), min(wall), memory


def floor(repository, runs):
    """CPU time of reading every file of both revisions with git."""
    ids = subprocess.run("(git ls-tree -r base; git ls-tree -r head) | awk '{print $3}' | sort -u", shell=True,
                         cwd=repository, capture_output=True, check=True).stdout
    times = []
    for _ in range(4 * runs):
        with tempfile.TemporaryFile() as asked:
            asked.write(ids)
            asked.seek(0)
            with subprocess.Popen(["git", "cat-file", "--batch"], cwd=repository, stdin=asked,
                                  stdout=subprocess.DEVNULL) as process:
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            times.append(usage.ru_utime + usage.ru_stime)
    return max(min(times), 0.001)


def same_output(binary, repositories):
    """Whether one thread and several print the same bytes."""
    for _, change, arguments in COMMANDS:
        printed = set()
        for threads in ("1", "2", "3"):
            env = {**os.environ, "RAYON_NUM_THREADS": threads}
            run = subprocess.run([binary, *arguments], cwd=repositories[change], env=env, capture_output=True)
            printed.add(run.stdout)
        if len(printed) > 1:
            print(f"{' '.join(arguments)}: the output depends on the number of threads")
            return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="target/release/stacklint")
    parser.add_argument("--stacks", type=int, default=40)
    parser.add_argument("--components", type=int, default=100)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--check", action="store_true", help="fail where it is much slower than it was")
    options = parser.parse_args()
    binary = str(pathlib.Path(options.bin).resolve())
    with tempfile.TemporaryDirectory(prefix="stacklint-bench-") as work:
        repositories, growth = {}, {}
        for change in ("leaf", "all"):
            repositories[change] = pathlib.Path(work, change)
            number = generate(repositories[change], options.stacks, options.components, change)
            growth[change] = pathlib.Path(work, f"{change}-half")
            generate(growth[change], max(1, options.stacks // 2), options.components, change)
        unit = floor(repositories["leaf"], options.runs)
        print(f"{options.stacks} stacks, {number} components; the floor is {unit * 1000:.1f} ms of CPU")
        print(f"{'':30} {'user s':>8} {'wall s':>8} {'MiB':>6} {'x floor':>8} {'x half':>7} {'threads':>8}")
        slow = []
        for name, change, arguments in COMMANDS:
            command = [binary, *arguments]
            user, wall, memory = measure(command, repositories[change], options.runs)
            half, _, _ = measure(command, growth[change], options.runs)
            one = measure(command, repositories[change], options.runs, {**os.environ, "RAYON_NUM_THREADS": "1"})[1]
            ratio = user / unit
            print(f"{name:30} {user:8.3f} {wall:8.3f} {memory:6.0f} {ratio:8.1f} {user / max(half, 0.001):7.2f} {one / wall:8.2f}")
            if ratio > LIMITS[name]:
                slow.append(f"{name}: {ratio:.0f} times the floor, at most {LIMITS[name]} expected")
        print("x floor: user CPU in floors; x half: against half as many stacks; threads: wall time of one thread over all")
        same = same_output(binary, repositories)
        if options.check and (slow or not same):
            sys.exit("\n".join(slow) or 1)


if __name__ == "__main__":
    main()
