#!/usr/bin/env python3
"""Measures the language server: user CPU of edits as a multiple of a yardstick, and memory over many edits.

    bench/lsp.py PROGRAM REPOSITORY [--edits N] [--rounds N] [--check]

The repository has the tags `base` and `head`, like those that bench/generate.py writes; a worktree of `head` is analyzed. Each edit
puts one of the two versions of the first file that differs between the tags into a buffer, with a new comment at its end, and waits
for the findings. The yardstick is the user CPU that Python's json needs to read a document of 100,000 small objects, measured
between the edits. With --check, exit 1 if an edit costs more than --most yardsticks, or memory after all edits is over 1.1 times
that after the first 100.
"""
import argparse, json, os, pathlib, subprocess, sys

YARDSTICK = """import json, resource
t = json.dumps([{"id": i, "name": "component-%d" % i, "tags": ["a", "b", str(i)], "size": i / 7} for i in range(100000)])
b = resource.getrusage(resource.RUSAGE_SELF).ru_utime
for _ in range(3): json.loads(t)
print((resource.getrusage(resource.RUSAGE_SELF).ru_utime - b) / 3)"""


def yardstick():
    return float(subprocess.run([sys.executable, "-c", YARDSTICK], capture_output=True, text=True, check=True).stdout)


def git(root, *arguments):
    return subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=True).stdout


class Server:
    def __init__(self, program, root):
        self.process = subprocess.Popen([program, "-C", root, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.root, self.next = root, 0
        self.request("initialize", {"rootUri": pathlib.Path(root).as_uri(), "capabilities": {}})
        self.notify("initialized", {})

    def send(self, message):
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.process.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def request(self, method, params):
        self.next += 1
        self.send({"id": self.next, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == self.next and "method" not in message:
                return message.get("result")

    def read(self):
        length = 0
        while (line := self.process.stdout.readline().strip()):
            if line.startswith(b"Content-Length: "):
                length = int(line.split(b" ")[1])
        if not length:
            sys.exit("the server ended")
        return json.loads(self.process.stdout.read(length))

    def settle(self):
        """Waits for the analysis of all that was sent: requests wait for it."""
        self.request("workspace/symbol", {"query": "nothing has this name"})

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("repository")
    parser.add_argument("--edits", type=int, default=50, help="edits in each round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most", type=float, default=0.8, help="yardsticks that an edit may cost")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    root = str(pathlib.Path(options.repository).resolve())
    git(root, "checkout", "-q", "head")
    file = git(root, "diff", "--name-only", "base", "head").splitlines()[0]
    texts = [git(root, "show", f"{tag}:{file}") for tag in ("base", "head")]
    server = Server(str(pathlib.Path(options.program).resolve()), root)
    uri = pathlib.Path(root, file).as_uri()
    server.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 0, "text": texts[1]}})
    server.settle()
    first, memory = server.cpu(), server.memory()
    early, rounds, yards, number = None, [], [yardstick()], 0
    for _ in range(options.rounds):
        start = server.cpu()
        for _ in range(options.edits):
            number += 1
            change = {"text": f"{texts[number % 2]}# edit {number}\n"}
            document = {"uri": uri, "version": number}
            server.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
            server.settle()
            if number == 100:
                early = server.memory()
        rounds.append((server.cpu() - start) / options.edits)
        yards.append(yardstick())
    yard, cost = min(yards), min(rounds)
    late = server.memory()
    print(f"first analysis: {first / yard:.2f} yardsticks, {memory:.0f} MiB")
    print(f"an edit of {file}: {cost / yard:.2f} yardsticks ({cost * 1000:.0f} ms of user CPU)")
    grown = late / early if early else 1
    if early:
        print(f"memory after {number} edits: {late:.0f} MiB, {grown:.2f} times that after 100")
    server.request("shutdown", None)
    server.notify("exit", None)
    code = server.process.wait()
    sys.exit(code or int(options.check and (cost / yard > options.most or grown > 1.1)))


main()
