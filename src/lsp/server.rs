//! The main loop of the server: receives messages, requests analyses, sends answers.

use super::buffers::{Buffer, Buffers, path_of};
use super::features;
use super::position::Encoding;
use super::root::{Done, Root};
use super::view::View;
use super::{Contents, Host};
use crossbeam_channel::{Sender, select, unbounded};
use ls_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument,
    LogMessage, Notification as _, Progress, PublishDiagnostics,
};
use ls_types::request::{RegisterCapability, Request as _, WorkDoneProgressCreate};
use ls_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesRegistrationOptions, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, FileSystemWatcher, GlobPattern, InitializeParams, InitializeResult, LogMessageParams,
    MessageType, NumberOrString, ProgressParams, ProgressParamsValue, PublishDiagnosticsParams, Registration,
    RegistrationParams, ServerInfo, Uri, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressCreateParams,
    WorkDoneProgressEnd,
};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::de::DeserializeOwned;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The maximum number of folders of a workspace.
const MAX_ROOTS: usize = 32;
/// The maximum number of requests that wait for an analysis.
const MAX_WAITING: usize = 1_000;
/// The token of the progress of the first analysis.
const PROGRESS: &str = "stacklint/analysis";

/// How a client ended the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It requested a shutdown first, as the protocol requires.
    Orderly,
    /// It exited without a shutdown request, or sent an invalid message.
    Abruptly,
}

/// Serves a client until it ends.
///
/// # Errors
/// The client does not begin as the protocol wants: what to tell the user.
pub(crate) fn serve(connection: &Connection, host: &dyn Host) -> Result<Ended, String> {
    let (id, params) = connection.initialize_start().map_err(|e| e.to_string())?;
    let params: InitializeParams = match serde_json::from_value(params) {
        Ok(params) => params,
        Err(error) => {
            let text = format!("invalid parameters of `initialize`: {error}");
            let _ = connection.sender.send(Response::new_err(id, ErrorCode::InvalidParams as i32, text.clone()).into());
            return Err(text);
        }
    };
    let encoding = Encoding::negotiate(params.capabilities.general.as_ref());
    let result = InitializeResult {
        capabilities: features::capabilities(encoding),
        server_info: Some(ServerInfo {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        offset_encoding: None,
    };
    let result = serde_json::to_value(result).map_err(|e| e.to_string())?;
    connection.initialize_finish(id, result).map_err(|e| e.to_string())?;
    std::thread::scope(|scope| {
        let (results, received) = unbounded();
        let window = params.capabilities.window.as_ref();
        let mut server = Server {
            sender: &connection.sender,
            encoding,
            roots: Vec::new(),
            buffers: Buffers::default(),
            waiting: Vec::new(),
            shows_progress: window.and_then(|window| window.work_done_progress) == Some(true),
        };
        for folder in folders(&params) {
            match host.open(folder.as_deref()) {
                Ok(analyzer) if server.roots.iter().all(|root| root.path != analyzer.root()) => {
                    let root = Root::start(server.roots.len(), analyzer, results.clone(), scope);
                    server.roots.push(root);
                }
                Ok(_) => {}
                Err(message) => server.log(MessageType::WARNING, message),
            }
        }
        let watches = params.capabilities.workspace.as_ref().and_then(|all| all.did_change_watched_files.as_ref());
        if watches.and_then(|watches| watches.dynamic_registration) == Some(true) {
            server.watch();
        }
        server.analyze(None);
        loop {
            select! {
                recv(connection.receiver) -> message => match message {
                    Ok(Message::Request(request)) => match connection.handle_shutdown(&request) {
                        Ok(true) => return Ok(Ended::Orderly),
                        Ok(false) => server.request(request),
                        Err(_) => return Ok(Ended::Abruptly),
                    },
                    Ok(Message::Notification(sent)) if sent.method == "exit" => return Ok(Ended::Abruptly),
                    Ok(Message::Notification(sent)) => server.notification(sent),
                    Ok(Message::Response(_)) => {}
                    Err(_) => return Ok(Ended::Abruptly),
                },
                recv(received) -> done => if let Ok(done) = done {
                    server.done(done);
                },
            }
        }
    })
}

/// The folders of the workspace; `None` is the folder that the server runs in.
fn folders(params: &InitializeParams) -> Vec<Option<PathBuf>> {
    let named = params.workspace_folders.iter().flatten().map(|folder| &folder.uri);
    let mut paths: Vec<Option<PathBuf>> = named.filter_map(path_of).take(MAX_ROOTS).map(Some).collect();
    #[allow(deprecated, reason = "clients without folders of a workspace name one folder")]
    if paths.is_empty() {
        paths.push(params.root_uri.as_ref().and_then(path_of));
    }
    paths
}

struct Server<'a> {
    sender: &'a Sender<Message>,
    encoding: Encoding,
    roots: Vec<Root>,
    buffers: Buffers,
    /// Requests that wait for the analysis of a root.
    waiting: Vec<(usize, Request)>,
    shows_progress: bool,
}

impl Server<'_> {
    /// Sends a message. If the client has exited, the closed channel ends the loop.
    fn send(&self, message: impl Into<Message>) {
        let _ = self.sender.send(message.into());
    }

    fn notify<N: ls_types::notification::Notification>(&self, params: N::Params) {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }

    fn log(&self, typ: MessageType, message: String) {
        self.notify::<LogMessage>(LogMessageParams { typ, message });
    }

    /// Asks the client for notifications when files change on the disk.
    fn watch(&self) {
        let watcher = FileSystemWatcher { glob_pattern: GlobPattern::String("**/*".to_owned()), kind: None };
        let options = DidChangeWatchedFilesRegistrationOptions { watchers: vec![watcher] };
        let registration = Registration {
            id: "stacklint/files".to_owned(),
            method: DidChangeWatchedFiles::METHOD.to_owned(),
            register_options: serde_json::to_value(options).ok(),
        };
        let params = RegistrationParams { registrations: vec![registration] };
        let id = RequestId::from("stacklint/watch".to_owned());
        self.send(Request::new(id, RegisterCapability::METHOD.to_owned(), params));
    }

    /// The root that a file belongs to, with the path of the file in it. Of roots in one another the inner one counts.
    fn root_of(&self, uri: &Uri) -> Option<(usize, String)> {
        self.root_of_path(&path_of(uri)?)
    }

    fn root_of_path(&self, path: &Path) -> Option<(usize, String)> {
        let inside = |(i, root): (usize, &Root)| {
            let rest = path.strip_prefix(&root.path).ok()?;
            let is_plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
            (is_plain && !rest.starts_with(".git")).then(|| (i, rest.to_string_lossy().replace('\\', "/")))
        };
        self.roots.iter().enumerate().filter_map(inside).min_by_key(|(_, path)| path.len())
    }

    /// Requests an analysis of one root, or of all.
    fn analyze(&mut self, only: Option<usize>) {
        let mut contents: Vec<Contents> = self.roots.iter().map(|_| Contents::new()).collect();
        for (path, buffer) in self.buffers.iter() {
            if let Some((root, path)) = self.root_of_path(&path) {
                contents[root].insert(path, Arc::from(buffer.text.as_bytes()));
            }
        }
        for (i, contents) in contents.into_iter().enumerate().filter(|(i, _)| only.is_none_or(|only| only == *i)) {
            if self.shows_progress && self.roots[i].is_new() {
                self.begin(i);
            }
            self.roots[i].ask(contents);
        }
    }

    fn begin(&self, root: usize) {
        let token = NumberOrString::String(format!("{PROGRESS}/{root}"));
        let params = WorkDoneProgressCreateParams { token: token.clone() };
        let id = RequestId::from(format!("{PROGRESS}/{root}"));
        self.send(Request::new(id, WorkDoneProgressCreate::METHOD.to_owned(), params));
        let begin = WorkDoneProgressBegin { title: "Resolving stacks".to_owned(), ..WorkDoneProgressBegin::default() };
        let value = ProgressParamsValue::WorkDone(WorkDoneProgress::Begin(begin));
        self.notify::<Progress>(ProgressParams { token, value });
    }

    fn end(&self, root: usize) {
        let token = NumberOrString::String(format!("{PROGRESS}/{root}"));
        let value = ProgressParamsValue::WorkDone(WorkDoneProgress::End(WorkDoneProgressEnd::default()));
        self.notify::<Progress>(ProgressParams { token, value });
    }

    /// An analysis ended.
    fn done(&mut self, (index, number, result): Done) {
        if self.shows_progress && self.roots[index].is_first() {
            self.end(index);
        }
        let before = self.roots[index].failure.take();
        if !self.roots[index].take(number, result) {
            return;
        }
        if let Some(message) = self.roots[index].failure.clone().filter(|now| before.as_ref() != Some(now)) {
            self.log(MessageType::WARNING, message);
        }
        self.publish(index);
        let (ready, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(|(root, _)| *root == index);
        self.waiting = waiting;
        for (root, request) in Vec::from_iter::<Vec<(usize, Request)>>(ready) {
            self.answer(root, request);
        }
    }

    fn view(&self, root: usize) -> Option<View<'_>> {
        let Root { analysis, path, .. } = &self.roots[root];
        analysis.as_ref().map(|analysis| View { analysis, root: path, encoding: self.encoding })
    }

    /// Sends the findings of files where they differ from what the client shows.
    fn publish(&mut self, index: usize) {
        let found = self.view(index).map(|view| features::diagnostics::all(&view)).unwrap_or_default();
        let root = &self.roots[index];
        let gone = root.shown.keys().filter(|path| !found.contains_key(*path)).map(|path| (path, Vec::new()));
        let new = found.iter().filter(|(path, all)| root.shown.get(*path) != Some(all));
        for (path, diagnostics) in gone.chain(new.map(|(path, all)| (path, all.clone()))) {
            let Some(uri) = Uri::from_file_path(root.path.join(path)) else { continue };
            let version = self.buffers.get(&uri).map(|buffer| buffer.version);
            self.notify::<PublishDiagnostics>(PublishDiagnosticsParams { uri, diagnostics, version });
        }
        self.roots[index].shown = found;
    }

    fn notification(&mut self, sent: Notification) {
        match sent.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let Some(DidOpenTextDocumentParams { text_document }) = self.params(sent) else { return };
                let buffer = Buffer { version: text_document.version, text: text_document.text };
                self.buffers.set(text_document.uri.clone(), Some(buffer));
                self.changed(&text_document.uri);
            }
            DidChangeTextDocument::METHOD => {
                let Some(DidChangeTextDocumentParams { text_document, content_changes }) = self.params(sent) else {
                    return;
                };
                self.buffers.edit(&text_document.uri, text_document.version, content_changes, self.encoding);
                self.changed(&text_document.uri);
            }
            DidCloseTextDocument::METHOD => {
                let Some(DidCloseTextDocumentParams { text_document }) = self.params(sent) else { return };
                self.buffers.set(text_document.uri.clone(), None);
                self.changed(&text_document.uri);
            }
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => self.analyze(None),
            "$/cancelRequest" => {
                let Some(ls_types::CancelParams { id }) = self.params(sent) else { return };
                let id = match id {
                    NumberOrString::Number(number) => RequestId::from(number),
                    NumberOrString::String(text) => RequestId::from(text),
                };
                let (gone, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(|(_, r)| r.id == id);
                self.waiting = waiting;
                for (_, request) in Vec::from_iter::<Vec<(usize, Request)>>(gone) {
                    self.refuse(request.id, ErrorCode::RequestCanceled, "canceled");
                }
            }
            _ => {}
        }
    }

    /// A buffer has another text now.
    fn changed(&mut self, uri: &Uri) {
        if let Some((root, _)) = self.root_of(uri) {
            self.analyze(Some(root));
        }
    }

    fn params<T: DeserializeOwned>(&self, sent: Notification) -> Option<T> {
        let result = serde_json::from_value(sent.params);
        if let Err(error) = &result {
            self.log(MessageType::ERROR, format!("{}: {error}", sent.method));
        }
        result.ok()
    }

    fn refuse(&self, id: RequestId, code: ErrorCode, message: &str) {
        self.send(Response::new_err(id, code as i32, message.to_owned()));
    }

    /// Answers a request, or keeps it until the text that it is about is analyzed.
    fn request(&mut self, request: Request) {
        if !features::METHODS.contains(&request.method.as_str()) {
            let message = format!("there is no method {}", request.method);
            return self.refuse(request.id, ErrorCode::MethodNotFound, &message);
        }
        let document = request.params.pointer("/textDocument/uri").or_else(|| request.params.pointer("/data/uri"));
        let uri: Option<Uri> = document.and_then(|uri| uri.as_str()?.parse().ok());
        // A request without a file uses the first folder.
        let root = match &uri {
            Some(uri) => self.root_of(uri).map(|(root, _)| root),
            None => (!self.roots.is_empty()).then_some(0),
        };
        match root {
            None => self.send(Response::new_ok(request.id, serde_json::Value::Null)),
            Some(root) if self.roots[root].is_current() => self.answer(root, request),
            Some(_) if self.waiting.len() >= MAX_WAITING => {
                self.refuse(request.id, ErrorCode::ServerCancelled, "too many requests wait for an analysis");
            }
            Some(root) => self.waiting.push((root, request)),
        }
    }

    fn answer(&self, root: usize, request: Request) {
        let path_of = |uri: &Uri| self.root_of(uri).filter(|(of, _)| *of == root).map(|(_, path)| path);
        let text_of = |uri: &Uri| self.buffers.get(uri).map(|buffer| buffer.text.as_str());
        let context = features::Context { view: self.view(root), path_of: &path_of, text_of: &text_of };
        let Request { id, method, params } = request;
        match features::answer(&method, params, &context) {
            Ok(result) => self.send(Response::new_ok(id, result)),
            Err(message) => self.refuse(id, ErrorCode::InvalidParams, &message),
        }
    }
}
