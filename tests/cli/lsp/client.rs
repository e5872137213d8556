//! A client of the language server: the real binary, spoken to over its standard input and output.

use crate::common::{Repo, command};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// A started server.
pub(crate) struct Client {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    next: i64,
    /// The last findings that were published, by URI.
    pub(crate) shown: BTreeMap<String, Vec<Value>>,
    /// Further notifications of the server.
    pub(crate) sent: Vec<Value>,
    /// What is answered to requests of the server, by their method; null to all others.
    pub(crate) answers: BTreeMap<String, Value>,
    root: String,
}

impl Client {
    /// Starts a server for a repository, with positions in UTF-16.
    pub(crate) fn start(repo: &Repo) -> Self {
        Self::with(repo, json!({}))
    }

    /// The same with capabilities of the client.
    pub(crate) fn with(repo: &Repo, capabilities: Value) -> Self {
        Self::begin(repo, capabilities, Value::Null)
    }

    /// The same with options.
    pub(crate) fn options(repo: &Repo, options: Value) -> Self {
        Self::begin(repo, json!({}), options)
    }

    fn begin(repo: &Repo, capabilities: Value, options: Value) -> Self {
        let mut client = Self::silent(repo.root());
        let uri = format!("file://{}", repo.root().display());
        let params = json!({
            "processId": null, "rootUri": uri, "capabilities": capabilities,
            "workspaceFolders": [{"uri": uri, "name": "repo"}], "initializationOptions": options,
        });
        client.request("initialize", params);
        client.notify("initialized", json!({}));
        client
    }

    /// Starts a server without sending anything.
    pub(crate) fn silent(root: &Path) -> Self {
        let mut process = command(root, &["lsp"]);
        let process = process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = process.spawn().unwrap();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        let (send, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        let (input, root) = (server.stdin.take(), format!("file://{}", root.display()));
        Client {
            server,
            input,
            messages,
            next: 0,
            shown: BTreeMap::new(),
            sent: Vec::new(),
            answers: BTreeMap::new(),
            root,
        }
    }

    /// The URI of a file.
    pub(crate) fn uri(&self, path: &str) -> String {
        format!("{}/{path}", self.root)
    }

    /// Sends bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    pub(crate) fn message(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.message(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request, and returns the whole response.
    pub(crate) fn response(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.message(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Sends a request, and returns its result.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let response = self.response(method, params);
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].clone()
    }

    /// Returns the next message; findings and notifications are kept, requests of the server are answered.
    fn receive(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).expect("a message from the server");
        match message["method"].as_str() {
            Some("textDocument/publishDiagnostics") => {
                let (uri, found) = (&message["params"]["uri"], &message["params"]["diagnostics"]);
                self.shown.insert(uri.as_str().unwrap().to_owned(), found.as_array().unwrap().clone());
            }
            Some(_) => {
                if let Some(id) = message.get("id") {
                    let result = self.answers.get(message["method"].as_str().unwrap_or_default());
                    let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
                    self.message(&answer);
                }
                self.sent.push(message.clone());
            }
            None => {}
        }
        message
    }

    /// Opens a file with a text.
    pub(crate) fn open(&mut self, path: &str, text: &str) {
        let uri = self.uri(path);
        let document = json!({"uri": uri, "languageId": "yaml", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the text of an open file.
    pub(crate) fn change(&mut self, path: &str, version: i64, text: &str) {
        let document = json!({"uri": self.uri(path), "version": version});
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": [{"text": text}]}));
    }

    /// Waits until all that was sent is analyzed, by a request that waits for it.
    pub(crate) fn wait_until_idle(&mut self) {
        self.request("workspace/symbol", json!({"query": "nothing has this name"}));
    }

    /// Sends a request about a place in a file: where `place` occurs in `text`, moved by some columns.
    pub(crate) fn at(&mut self, method: &str, path: &str, text: &str, place: &str, by: usize) -> Value {
        let position = position(text, place, by);
        let document = json!({"uri": self.uri(path)});
        let context = json!({"includeDeclaration": true, "triggerKind": 1});
        let params = json!({"textDocument": document, "position": position, "context": context});
        self.request(method, params)
    }

    /// Shuts the server down as the protocol requires, and returns its exit code and standard error.
    pub(crate) fn shut_down(mut self) -> (i32, String) {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.end()
    }

    /// Waits for the end of the server.
    pub(crate) fn end(mut self) -> (i32, String) {
        drop(self.input.take());
        let mut said = String::new();
        self.server.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let status = self.server.wait().unwrap();
        (status.code().expect("an exit code, not a signal"), said)
    }

    /// The rules and lines (from 0) of the findings that are shown for a file, sorted.
    pub(crate) fn found(&self, path: &str) -> Vec<(String, u64)> {
        let all = self.shown.get(&self.uri(path)).cloned().unwrap_or_default();
        let one = |d: &Value| (d["code"].as_str().unwrap().to_owned(), d["range"]["start"]["line"].as_u64().unwrap());
        let mut found: Vec<_> = all.iter().map(one).collect();
        found.sort();
        found
    }
}

/// Where a text starts in another one, in UTF-16, moved by some columns.
pub(crate) fn position(text: &str, place: &str, by: usize) -> Value {
    let at = text.find(place).unwrap_or_else(|| panic!("{text:?} has no {place:?}"));
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    json!({"line": line, "character": text[start..at].encode_utf16().count() + by})
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", number)) => length = number.parse().unwrap(),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}
