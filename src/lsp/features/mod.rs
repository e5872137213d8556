//! The answers of the server, one file per feature. Every answer is a function of an analysis and a place.

mod actions;
mod code;
mod completion;
pub(super) mod diagnostics;
mod hints;
mod hover;
mod lenses;
mod links;
mod navigation;
pub(super) mod refactorings;
mod rename;
mod symbols;
mod tokens;

use super::position::{Encoding, Lines};
use super::view::{Cursor, View};
use ls_types::request::{
    CodeActionRequest, CodeActionResolveRequest, CodeLensRequest, CodeLensResolve, Completion, DocumentLinkRequest,
    DocumentSymbolRequest, GotoDefinition, HoverRequest, InlayHintRequest, PrepareRenameRequest, References, Rename,
    Request, SemanticTokensFullRequest, SemanticTokensRangeRequest, WorkspaceSymbolRequest,
};
use ls_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions, CompletionOptions,
    DocumentLinkOptions, HoverProviderCapability, OneOf, Position, RenameOptions, SemanticTokensFullOptions,
    SemanticTokensLegend, SemanticTokensOptions, SemanticTokensServerCapabilities, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
    WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};
use serde_json::Value as Json;

/// The requests that are answered.
pub(super) const METHODS: [&str; 16] = [
    HoverRequest::METHOD,
    GotoDefinition::METHOD,
    References::METHOD,
    DocumentLinkRequest::METHOD,
    DocumentSymbolRequest::METHOD,
    WorkspaceSymbolRequest::METHOD,
    CodeActionRequest::METHOD,
    CodeActionResolveRequest::METHOD,
    CodeLensRequest::METHOD,
    CodeLensResolve::METHOD,
    Completion::METHOD,
    PrepareRenameRequest::METHOD,
    Rename::METHOD,
    InlayHintRequest::METHOD,
    SemanticTokensFullRequest::METHOD,
    SemanticTokensRangeRequest::METHOD,
];

pub(super) fn capabilities(encoding: Encoding) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, CodeActionKind::REFACTOR]),
            resolve_provider: Some(true),
            ..CodeActionOptions::default()
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(true) }),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([".", "/", "[", ":", "!", "{", "\""].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        inlay_hint_provider: Some(OneOf::Left(true)),
        semantic_tokens_provider: Some(SemanticTokensServerCapabilities::SemanticTokensOptions(
            SemanticTokensOptions {
                legend: SemanticTokensLegend { token_types: tokens::LEGEND.to_vec(), token_modifiers: Vec::new() },
                range: Some(true),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            },
        )),
        ..ServerCapabilities::default()
    }
}

/// The input of an answer.
pub(super) struct Context<'a> {
    /// The analysis of the root; `None` if nothing could be analyzed.
    pub(super) view: Option<View<'a>>,
    /// The path in the root of a file.
    pub(super) path_of: &'a dyn Fn(&Uri) -> Option<String>,
    /// The text of an open file.
    pub(super) text_of: &'a dyn Fn(&Uri) -> Option<&'a str>,
}

impl Context<'_> {
    /// Calls `with` with the place of a request. `None` if there is no analysis, or the file is not open.
    fn at<T>(&self, uri: &Uri, position: Position, with: impl FnOnce(&Cursor<'_>) -> Option<T>) -> Option<T> {
        let (view, path, text) = (self.view?, (self.path_of)(uri)?, (self.text_of)(uri)?);
        let offset = Lines::new(text, view.encoding).offset(position);
        with(&Cursor { view, path: &path, text, offset })
    }
}

/// Returns the answer to a request; null if there is none.
///
/// # Errors
/// The parameters are not those of the method.
pub(super) fn answer(method: &str, params: Json, context: &Context<'_>) -> Result<Json, String> {
    match method {
        HoverRequest::METHOD => with::<HoverRequest>(params, |p| {
            let at = p.text_document_position_params;
            context.at(&at.text_document.uri, at.position, hover::hover)
        }),
        GotoDefinition::METHOD => with::<GotoDefinition>(params, |p| {
            let at = p.text_document_position_params;
            context.at(&at.text_document.uri, at.position, |place| Some(navigation::definition(place).into()))
        }),
        References::METHOD => with::<References>(params, |p| {
            let at = p.text_document_position;
            let all = p.context.include_declaration;
            context.at(&at.text_document.uri, at.position, |place| Some(navigation::references(place, all)))
        }),
        DocumentLinkRequest::METHOD => with::<DocumentLinkRequest>(params, |p| {
            context.at(&p.text_document.uri, Position::default(), |place| Some(links::links(place)))
        }),
        DocumentSymbolRequest::METHOD => with::<DocumentSymbolRequest>(params, |p| {
            context.at(&p.text_document.uri, Position::default(), |place| Some(symbols::of_file(place).into()))
        }),
        WorkspaceSymbolRequest::METHOD => with::<WorkspaceSymbolRequest>(params, |p| {
            context.view.map(|view| symbols::of_workspace(&view, &p.query).into())
        }),
        CodeActionRequest::METHOD => with::<CodeActionRequest>(params, |p| {
            let end = p.range.end;
            context.at(&p.text_document.uri, p.range.start, |place| {
                let end = Lines::new(place.text, place.view.encoding).offset(end);
                let mut all = actions::actions(place, end.max(place.offset));
                all.extend(refactorings::offered(place, &p.context));
                Some(all)
            })
        }),
        CodeLensRequest::METHOD => with::<CodeLensRequest>(params, |p| {
            let uri = p.text_document.uri;
            context.at(&uri, Position::default(), |place| Some(lenses::lenses(place, &uri)))
        }),
        CodeLensResolve::METHOD => with::<CodeLensResolve>(params, |lens| {
            let uri = lenses::uri_of(&lens);
            let title = uri.and_then(|uri| context.at(&uri, lens.range.start, |place| Some(lenses::title(place))));
            lenses::resolved(lens, title)
        }),
        Completion::METHOD => with::<Completion>(params, |p| {
            let at = p.text_document_position;
            context.at(&at.text_document.uri, at.position, |place| Some(completion::completions(place).into()))
        }),
        PrepareRenameRequest::METHOD => {
            with::<PrepareRenameRequest>(params, |at| context.at(&at.text_document.uri, at.position, rename::prepare))
        }
        InlayHintRequest::METHOD => with::<InlayHintRequest>(params, |p| {
            let end = p.range.end;
            context.at(&p.text_document.uri, p.range.start, |place| {
                Some(hints::hints(place, Lines::new(place.text, place.view.encoding).offset(end)))
            })
        }),
        SemanticTokensFullRequest::METHOD => with::<SemanticTokensFullRequest>(params, |p| {
            context.at(&p.text_document.uri, Position::default(), |place| {
                Some(tokens::semantic_tokens(place, 0..place.text.len()).into())
            })
        }),
        SemanticTokensRangeRequest::METHOD => with::<SemanticTokensRangeRequest>(params, |p| {
            let end = p.range.end;
            context.at(&p.text_document.uri, p.range.start, |place| {
                let end = Lines::new(place.text, place.view.encoding).offset(end);
                Some(tokens::semantic_tokens(place, place.offset..end).into())
            })
        }),
        _ => Err(format!("there is no method {method}")),
    }
}

fn with<R: Request>(params: Json, run: impl FnOnce(R::Params) -> R::Result) -> Result<Json, String> {
    let params = serde_json::from_value(params).map_err(|e| e.to_string())?;
    serde_json::to_value(run(params)).map_err(|e| e.to_string())
}
