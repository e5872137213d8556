//! The main loop of the server: receives messages, requests analyses, sends answers.

use super::buffers::{Buffer, Buffers, path_of};
use super::features;
use super::handshake::{self, Begun};
use super::position::Encoding;
use super::remembered::Remembered;
use super::root::{Done, Root};
use super::view::View;
use super::{Analyzer, Contents, Host, Preferences, configuration};
use crossbeam_channel::{Sender, select, unbounded};
use ls_types::notification::{
    DidChangeConfiguration, DidChangeTextDocument, DidChangeWatchedFiles, DidChangeWorkspaceFolders,
    DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Exit, Initialized, LogMessage, Notification as _,
    Progress, PublishDiagnostics,
};
use ls_types::request::{
    Initialize, RegisterCapability, Request as _, Shutdown, WorkDoneProgressCreate, WorkspaceSymbolRequest,
};
use ls_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesRegistrationOptions, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, FileSystemWatcher, GlobPattern, LogMessageParams, MessageType, NumberOrString,
    ProgressParams, ProgressParamsValue, PublishDiagnosticsParams, Registration, RegistrationParams, Uri,
    WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressCreateParams, WorkDoneProgressEnd,
};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread::Scope;

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
    let (params, encoding) = match handshake::begin(connection)? {
        Begun::Session(params, encoding) => (params, encoding),
        Begun::Ended(ended) => return Ok(ended),
    };
    std::thread::scope(|scope| {
        let (results, received) = unbounded();
        let workspace = params.capabilities.workspace.as_ref();
        let window = params.capabilities.window.as_ref();
        let mut server = Server {
            sender: &connection.sender,
            host,
            scope,
            results,
            encoding,
            resolves_actions: handshake::resolves_actions(&params),
            roots: Vec::new(),
            remembered: Vec::new(),
            buffers: Buffers::default(),
            waiting: Vec::new(),
            shows_progress: window.and_then(|window| window.work_done_progress) == Some(true),
            preferences: params.initialization_options.as_ref().and_then(Preferences::of).unwrap_or_default(),
            watches: false,
            is_shut_down: false,
            answers_configuration: workspace.and_then(|workspace| workspace.configuration) == Some(true),
        };
        for folder in configuration::folders(&params) {
            server.add_folder(folder.as_deref());
        }
        let watches = workspace.and_then(|all| all.did_change_watched_files.as_ref());
        server.watches = watches.and_then(|watches| watches.dynamic_registration) == Some(true);
        server.analyze(None);
        loop {
            select! {
                recv(connection.receiver) -> message => match message {
                    Ok(Message::Request(request)) => server.request(request),
                    Ok(Message::Notification(sent)) if sent.method == Exit::METHOD => {
                        return Ok(if server.is_shut_down { Ended::Orderly } else { Ended::Abruptly });
                    }
                    Ok(Message::Notification(sent)) => server.notification(sent),
                    Ok(Message::Response(response)) => server.response(&response),
                    Err(_) => return Ok(Ended::Abruptly),
                },
                recv(received) -> done => if let Ok(done) = done {
                    server.done(done);
                },
            }
        }
    })
}

/// The state of the server.
pub(super) struct Server<'a, 'scope, 'env> {
    pub(super) sender: &'a Sender<Message>,
    /// What opens folders.
    pub(super) host: &'a dyn Host,
    /// Where analyses run, and where their results go.
    pub(super) scope: &'scope Scope<'scope, 'env>,
    results: Sender<Done>,
    pub(super) encoding: Encoding,
    /// Whether the client lets actions be completed once they are chosen.
    resolves_actions: bool,
    /// The folders of the workspace, those that were closed included.
    pub(super) roots: Vec<Root>,
    /// What was known before it broke, by root.
    remembered: Vec<Remembered>,
    buffers: Buffers,
    /// Requests that wait for the analysis of a root.
    pub(super) waiting: Vec<(usize, Request)>,
    shows_progress: bool,
    /// Whether the client can be asked to tell when files change.
    watches: bool,
    /// Whether the client asked for the end.
    is_shut_down: bool,
    /// What the user set.
    pub(super) preferences: Preferences,
    /// Whether the client can be asked for settings.
    pub(super) answers_configuration: bool,
}

impl Server<'_, '_, '_> {
    /// Adds a folder.
    pub(super) fn start(&mut self, analyzer: Arc<dyn Analyzer>) {
        self.roots.push(Root::start(self.roots.len(), analyzer, self.results.clone(), self.scope));
        self.remembered.push(Remembered::default());
    }

    /// Sends something. A client that is gone ends the loop by its closed channel.
    pub(super) fn send(&self, message: impl Into<Message>) {
        let _ = self.sender.send(message.into());
    }

    /// Sends a notification.
    pub(super) fn notify<N: ls_types::notification::Notification>(&self, params: N::Params) {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }

    /// Tells the user something.
    pub(super) fn log(&self, typ: MessageType, message: String) {
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
            let rest = path.strip_prefix(&root.path).ok().filter(|_| !root.is_closed())?;
            let is_plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
            (is_plain && !rest.starts_with(".git")).then(|| (i, rest.to_string_lossy().replace('\\', "/")))
        };
        self.roots.iter().enumerate().filter_map(inside).min_by_key(|(_, path)| path.len())
    }

    /// Requests an analysis of one root, or of all.
    pub(super) fn analyze(&mut self, only: Option<usize>) {
        for i in (0..self.roots.len()).filter(|i| only.is_none_or(|only| only == *i)) {
            if self.roots[i].is_closed() {
                continue;
            }
            let contents = self.contents(i);
            if self.shows_progress && self.roots[i].is_new() {
                self.begin(i);
            }
            self.roots[i].ask(contents);
        }
    }

    /// The contents of the open buffers of a root.
    pub(super) fn contents(&self, root: usize) -> Contents {
        let of_root = |(path, buffer): (PathBuf, &Buffer)| {
            let (of, path) = self.root_of_path(&path)?;
            (of == root).then(|| (path, Arc::from(buffer.text.as_bytes())))
        };
        self.buffers.iter().filter_map(of_root).collect()
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
        if self.roots[index].is_closed() {
            return;
        }
        if self.shows_progress && self.roots[index].is_first() {
            self.end(index);
        }
        let before = self.roots[index].failure.take();
        let old = self.roots[index].analysis.take();
        if !self.roots[index].take(number, result) {
            self.roots[index].analysis = old;
            return;
        }
        if let Some(new) = &self.roots[index].analysis {
            self.remembered[index].update(old.as_ref(), new);
        }
        if let Some(old) = old {
            old.review.drop_in_background();
        }
        if let Some(message) = self.roots[index].failure.clone().filter(|now| before.as_ref() != Some(now)) {
            self.log(MessageType::WARNING, message);
        }
        self.publish(index);
        let (ready, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(|(root, _)| *root == index);
        self.waiting = waiting;
        for (_, request) in Vec::from_iter::<Vec<(usize, Request)>>(ready) {
            self.request(request);
        }
    }

    fn view(&self, root: usize) -> Option<View<'_>> {
        let Root { analysis, path, analyzer, .. } = &self.roots[root];
        let remembered = &self.remembered[root];
        let analysis = analysis.as_ref()?;
        let Server { encoding, resolves_actions, .. } = *self;
        Some(View { analysis, analyzer: &**analyzer, root: path, encoding, resolves_actions, remembered })
    }

    /// Sends the findings of files where they differ from what the client shows.
    fn publish(&mut self, index: usize) {
        let found = self.view(index).map(|view| features::diagnostics::all(&view)).unwrap_or_default();
        let root = &self.roots[index];
        let removed = root.shown.keys().filter(|path| !found.contains_key(*path)).map(|path| (path, Vec::new()));
        let new = found.iter().filter(|(path, all)| root.shown.get(*path) != Some(all));
        for (path, diagnostics) in removed.chain(new.map(|(path, all)| (path, all.clone()))) {
            let Some(uri) = Uri::from_file_path(root.path.join(path)) else { continue };
            let version = self.buffers.get(&uri).map(|buffer| buffer.version);
            self.notify::<PublishDiagnostics>(PublishDiagnosticsParams { uri, diagnostics, version });
        }
        self.roots[index].shown = found;
    }

    fn notification(&mut self, sent: Notification) {
        if self.is_shut_down {
            return;
        }
        match sent.method.as_str() {
            Initialized::METHOD => {
                if self.watches {
                    self.watch();
                }
                self.ask_configuration();
            }
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
            DidChangeConfiguration::METHOD => {
                let Some(params) = self.params(sent) else { return };
                self.change_configuration(&params);
            }
            DidChangeWorkspaceFolders::METHOD => {
                let Some(params) = self.params(sent) else { return };
                self.change_folders(params);
            }
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => self.analyze(None),
            "$/cancelRequest" => {
                let Some(ls_types::CancelParams { id }) = self.params(sent) else { return };
                let id = match id {
                    NumberOrString::Number(number) => RequestId::from(number),
                    NumberOrString::String(text) => RequestId::from(text),
                };
                let (removed, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(|(_, r)| r.id == id);
                self.waiting = waiting;
                for (_, request) in Vec::from_iter::<Vec<(usize, Request)>>(removed) {
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

    pub(super) fn refuse(&self, id: RequestId, code: ErrorCode, message: &str) {
        self.send(Response::new_err(id, code as i32, message.to_owned()));
    }

    /// Answers a request, or keeps it until the text that it is about is analyzed.
    fn request(&mut self, request: Request) {
        match request.method.as_str() {
            _ if self.is_shut_down => {
                return self.refuse(request.id, ErrorCode::InvalidRequest, "the server is shut down");
            }
            Initialize::METHOD => {
                return self.refuse(request.id, ErrorCode::InvalidRequest, "the session has begun already");
            }
            Shutdown::METHOD => {
                self.is_shut_down = true;
                self.send(Response::new_ok(request.id, Json::Null));
                for (_, request) in std::mem::take(&mut self.waiting) {
                    self.refuse(request.id, ErrorCode::ServerCancelled, "the server is shut down");
                }
                return;
            }
            _ => {}
        }
        if !features::METHODS.contains(&request.method.as_str()) {
            let message = format!("there is no method {}", request.method);
            return self.refuse(request.id, ErrorCode::MethodNotFound, &message);
        }
        if request.method == WorkspaceSymbolRequest::METHOD {
            return self.everywhere(request);
        }
        let document = request.params.pointer("/textDocument/uri").or_else(|| request.params.pointer("/data/uri"));
        let uri: Option<Uri> = document.and_then(|uri| uri.as_str()?.parse().ok());
        match uri.and_then(|uri| self.root_of(&uri)).map(|(root, _)| root) {
            None if document.is_none() => self.refuse(request.id, ErrorCode::InvalidParams, "no document is named"),
            None => self.send(Response::new_ok(request.id, serde_json::Value::Null)),
            Some(root) if !self.roots[root].is_current() => self.wait(root, request),
            Some(root) if features::refactorings::METHODS.contains(&&*request.method) => self.prove(root, request),
            Some(root) => self.answer(root, request),
        }
    }

    /// Keeps a request until a root is analyzed.
    fn wait(&mut self, root: usize, request: Request) {
        match self.waiting.len() >= MAX_WAITING {
            true => {
                let why = "too many requests wait for an analysis";
                self.refuse(request.id, ErrorCode::ServerCancelled, why);
            }
            false => self.waiting.push((root, request)),
        }
    }

    /// Answers a request that is about all folders: with what each of them answers.
    fn everywhere(&mut self, request: Request) {
        let open = || self.roots.iter().enumerate().filter(|(_, root)| !root.is_closed()).map(|(i, _)| i);
        if let Some(root) = open().find(|root| !self.roots[*root].is_current()) {
            return self.wait(root, request);
        }
        let mut all = Vec::new();
        for root in open() {
            match self.result(root, &request.method, request.params.clone()) {
                Ok(Json::Array(found)) => all.extend(found),
                Ok(_) => {}
                Err(message) => return self.refuse(request.id, ErrorCode::InvalidParams, &message),
            }
        }
        self.send(Response::new_ok(request.id, Json::Array(all)));
    }

    fn answer(&self, root: usize, request: Request) {
        let Request { id, method, params } = request;
        match self.result(root, &method, params) {
            Ok(result) => self.send(Response::new_ok(id, result)),
            Err(message) => self.refuse(id, ErrorCode::InvalidParams, &message),
        }
    }

    fn result(&self, root: usize, method: &str, params: Json) -> Result<Json, String> {
        self.with_context(root, |context| features::answer(method, params, context))
    }

    /// Calls `with` with what answers of a root are made of.
    pub(super) fn with_context<T>(&self, root: usize, with: impl FnOnce(&features::Context<'_>) -> T) -> T {
        let path_of = |uri: &Uri| self.root_of(uri).filter(|(of, _)| *of == root).map(|(_, path)| path);
        let text_of = |uri: &Uri| self.buffers.get(uri).map(|buffer| buffer.text.as_str());
        with(&features::Context { view: self.view(root), path_of: &path_of, text_of: &text_of })
    }
}
