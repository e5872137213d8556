#!/usr/bin/env python3
"""Measures the language server: user CPU of edits in yardsticks, and memory over many edits.

    bench/lsp.py PROGRAM REPOSITORY FILE OLD NEW [--edits N] [--yardstick SECONDS]

Each edit replaces the text OLD by NEW in the buffer of FILE, or back, and waits for the findings. The yardstick is the one
that the targets of a repository's speed are given in; without it seconds are printed.
"""
import argparse, json, os, pathlib, subprocess, sys


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
    parser.add_argument("file")
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--edits", type=int, default=5)
    parser.add_argument("--yardstick", type=float, default=1.0)
    options = parser.parse_args()
    root = str(pathlib.Path(options.repository).resolve())
    texts = [pathlib.Path(root, options.file).read_text()]
    assert options.old in texts[0], f"{options.file} has no {options.old!r}"
    texts.append(texts[0].replace(options.old, options.new))
    server = Server(str(pathlib.Path(options.program).resolve()), root)
    uri = pathlib.Path(root, options.file).as_uri()
    server.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 0, "text": texts[0]}})
    server.settle()
    print(f"first analysis {server.cpu() / options.yardstick:.2f}, {server.memory():.0f} MiB")
    start, early = server.cpu(), None
    for edit in range(1, options.edits + 1):
        document = {"uri": uri, "version": edit}
        server.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": texts[edit % 2]}]})
        server.settle()
        if edit == 100:
            early = server.memory()
    print(f"an edit {(server.cpu() - start) / options.edits / options.yardstick:.3f}, {server.memory():.0f} MiB")
    if early:
        print(f"memory after {options.edits} edits: {server.memory() / early:.2f} of that after 100")
    server.request("shutdown", None)
    server.notify("exit", None)
    sys.exit(server.process.wait())


main()
