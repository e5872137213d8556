//! The options of the user and the folders of the workspace, initially and when they change.

use super::buffers::path_of;
use super::server::Server;
use super::{Preferences, root::Root};
use ls_types::notification::PublishDiagnostics;
use ls_types::request::{Request as _, WorkspaceConfiguration};
use ls_types::{
    ConfigurationItem, ConfigurationParams, DidChangeConfigurationParams, DidChangeWorkspaceFoldersParams,
    InitializeParams, MessageType, PublishDiagnosticsParams, Uri, WorkspaceFolder,
};
use lsp_server::{Request, RequestId, Response};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

/// The maximum number of folders of a workspace.
const MAX_ROOTS: usize = 32;
/// The section of the settings.
const SECTION: &str = "stacklint";
/// The id of the request for the settings.
const ID: &str = "stacklint/configuration";

impl Preferences {
    /// Reads settings: an object, or an object within one that names the section. Missing and invalid options have
    /// their defaults. `None` if the settings are not an object.
    pub(super) fn of(settings: &Json) -> Option<Self> {
        let own = settings.get(SECTION).unwrap_or(settings).as_object()?;
        Some(Preferences { only_new: own.get("onlyNew").and_then(Json::as_bool).unwrap_or_default() })
    }
}

/// Returns the folders of the workspace; `None` is the folder that the server runs in.
pub(super) fn folders(params: &InitializeParams) -> Vec<Option<PathBuf>> {
    let named = params.workspace_folders.iter().flatten().map(|folder| &folder.uri);
    let mut paths: Vec<Option<PathBuf>> = named.filter_map(path_of).map(Some).collect();
    #[allow(deprecated, reason = "clients without folders of a workspace name one folder")]
    if paths.is_empty() {
        paths.push(params.root_uri.as_ref().and_then(path_of));
    }
    paths
}

impl Server<'_, '_, '_> {
    /// Adds a folder, unless its worktree is already open.
    pub(super) fn add_folder(&mut self, folder: Option<&Path>) {
        if self.roots.iter().filter(|root| !root.is_closed()).count() >= MAX_ROOTS {
            return self.log(MessageType::WARNING, format!("only {MAX_ROOTS} folders of a workspace are analyzed"));
        }
        let analyzer = match self.host.open(folder) {
            Ok(analyzer) => analyzer,
            Err(message) => return self.log(MessageType::WARNING, message),
        };
        if self.roots.iter().any(|root| !root.is_closed() && root.path == analyzer.root()) {
            return;
        }
        analyzer.prefer(&self.preferences);
        self.start(analyzer);
    }

    /// Handles a change of the folders of the workspace.
    pub(super) fn change_folders(&mut self, params: DidChangeWorkspaceFoldersParams) {
        let paths = |folders: Vec<WorkspaceFolder>| -> Vec<PathBuf> {
            folders.iter().filter_map(|folder| path_of(&folder.uri)).collect()
        };
        for path in paths(params.event.removed) {
            // A folder in a worktree represents the whole worktree.
            let holds = |root: &Root| !root.is_closed() && path.starts_with(&root.path);
            let named = self.roots.iter().enumerate().filter(|(_, root)| holds(root));
            if let Some((index, _)) = named.max_by_key(|(_, root)| root.path.as_os_str().len()) {
                self.close(index);
            }
        }
        let first = self.roots.len();
        for path in paths(params.event.added) {
            self.add_folder(Some(&path));
        }
        for index in first..self.roots.len() {
            self.analyze(Some(index));
        }
    }

    /// Closes a folder and clears its findings.
    fn close(&mut self, index: usize) {
        let shown = std::mem::take(&mut self.roots[index].shown);
        for path in shown.into_keys() {
            let Some(uri) = Uri::from_file_path(self.roots[index].path.join(path)) else { continue };
            self.notify::<PublishDiagnostics>(PublishDiagnosticsParams { uri, diagnostics: Vec::new(), version: None });
        }
        self.roots[index].close();
        let (removed, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(|(root, _)| *root == index);
        self.waiting = waiting;
        for (_, request) in Vec::from_iter::<Vec<(usize, Request)>>(removed) {
            self.send(Response::new_ok(request.id, Json::Null));
        }
    }

    /// Handles a change of the settings. If the client does not send them, they are requested.
    pub(super) fn change_configuration(&mut self, params: &DidChangeConfigurationParams) {
        match Preferences::of(&params.settings) {
            Some(preferences) => self.set(preferences),
            None => self.ask_configuration(),
        }
    }

    /// Requests the settings, if the client supports that.
    pub(super) fn ask_configuration(&self) {
        if self.answers_configuration {
            let items = vec![ConfigurationItem { scope_uri: None, section: Some(SECTION.to_owned()) }];
            let id = RequestId::from(ID.to_owned());
            self.send(Request::new(id, WorkspaceConfiguration::METHOD.to_owned(), ConfigurationParams { items }));
        }
    }

    /// Handles a response of the client.
    pub(super) fn response(&mut self, response: &Response) {
        if response.id != RequestId::from(ID.to_owned()) {
            return;
        }
        let settings = response.response_result.as_ref().ok().and_then(|result| result.as_array()?.first());
        if let Some(preferences) = settings.and_then(Preferences::of) {
            self.set(preferences);
        }
    }

    fn set(&mut self, preferences: Preferences) {
        if preferences == self.preferences {
            return;
        }
        self.preferences = preferences;
        self.roots.iter().filter(|root| !root.is_closed()).for_each(|root| root.analyzer.prefer(&self.preferences));
        self.analyze(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_may_name_their_section() {
        let of = |settings: Json| Preferences::of(&settings).map(|preferences| preferences.only_new);
        assert_eq!(of(json!({"onlyNew": true})), Some(true));
        assert_eq!(of(json!({"stacklint": {"onlyNew": true}})), Some(true));
        assert_eq!(of(json!({"stacklint": {"onlyNew": "yes"}})), Some(false));
        assert_eq!(of(json!({"onlyNew": 1, "path": "x"})), Some(false));
        assert_eq!(of(json!({})), Some(false));
        assert_eq!(of(Json::Null), None);
        assert_eq!(of(json!({"stacklint": null})), None);
        assert_eq!(of(json!([{"onlyNew": true}])), None);
    }
}
