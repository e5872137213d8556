//! The initialization of a session: exchange of capabilities.

use super::{Ended, features};
use crate::lsp::position::Encoding;
use ls_types::request::{Initialize, Request as _};
use ls_types::{InitializeParams, InitializeResult, ServerInfo};
use lsp_server::{Connection, ErrorCode, Message, Response};

/// The result of the initialization.
pub(super) enum Begun {
    /// A session begins.
    Session(Box<InitializeParams>, Encoding),
    /// The client exited.
    Ended(Ended),
}

/// Waits for the `initialize` request of a client, and answers it. Earlier requests are rejected, notifications are
/// ignored.
///
/// # Errors
/// The parameters of the request are invalid.
pub(super) fn begin(connection: &Connection) -> Result<Begun, String> {
    let send = |response: Response| {
        // If the client has exited, the closed channel ends the loop.
        let _ = connection.sender.send(response.into());
    };
    for message in &connection.receiver {
        let request = match message {
            Message::Request(request) => request,
            Message::Notification(sent) if sent.method == "exit" => break,
            Message::Notification(_) | Message::Response(_) => continue,
        };
        if request.method != Initialize::METHOD {
            let why = format!("the first request is {}, not {}", Initialize::METHOD, request.method);
            send(Response::new_err(request.id, ErrorCode::ServerNotInitialized as i32, why));
            continue;
        }
        let params: InitializeParams = match serde_json::from_value(request.params) {
            Ok(params) => params,
            Err(error) => {
                let why = format!("these are no parameters of {}: {error}", Initialize::METHOD);
                send(Response::new_err(request.id, ErrorCode::InvalidParams as i32, why.clone()));
                return Err(why);
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
        send(Response::new_ok(request.id, result));
        return Ok(Begun::Session(Box::new(params), encoding));
    }
    Ok(Begun::Ended(Ended::Abruptly))
}

/// Whether a client completes the edits of an action once it is chosen.
pub(super) fn resolves_actions(params: &InitializeParams) -> bool {
    let documents = params.capabilities.text_document.as_ref();
    let actions = documents.and_then(|documents| documents.code_action.as_ref());
    actions.is_some_and(|actions| {
        let completed = actions.resolve_support.as_ref().map_or(&[][..], |support| &support.properties);
        actions.data_support == Some(true) && completed.iter().any(|property| property == "edit")
    })
}
