//! Refactorings that were chosen: they are proved on threads of their own, while the server answers other requests.

use super::features::refactorings;
use super::server::Server;
use crate::threads::{catch_panic, with_deep_stack};
use lsp_server::{ErrorCode, Request, Response};
use std::sync::Arc;

impl Server<'_, '_, '_> {
    /// Answers a request with edits once it is proved that they have no effect. A newer edit cancels that.
    pub(super) fn prove(&self, index: usize, request: Request) {
        let Request { id, method, params } = request;
        let chosen = match self.with_context(index, |context| refactorings::chosen(&method, params, context)) {
            Ok(Some(chosen)) => chosen,
            Ok(None) => return self.send(Response::new_ok(id, serde_json::Value::Null)),
            Err(message) => return self.refuse(id, ErrorCode::InvalidParams, &message),
        };
        let root = &self.roots[index];
        let (analyzer, path, cancel) = (Arc::clone(&root.analyzer), root.path.clone(), root.cancel().clone());
        let (contents, sender, encoding) = (self.contents(index), self.sender.clone(), self.encoding);
        self.scope.spawn(move || {
            let refactor = || analyzer.refactor(&chosen.refactoring, &contents, &cancel);
            let result = with_deep_stack(|| catch_panic("the refactoring", refactor))
                .unwrap_or_else(|defect| Err(format!("internal error: {}", defect.message)));
            let response = match result {
                _ if cancel.is_canceled() => {
                    let why = "the text has changed since".to_owned();
                    Response::new_err(id, ErrorCode::ContentModified as i32, why)
                }
                Ok(texts) => Response::new_ok(id, chosen.answer(&texts, &path, encoding)),
                Err(message) => Response::new_err(id, ErrorCode::RequestFailed as i32, message),
            };
            // A client that is gone needs no answer.
            let _ = sender.send(response.into());
        });
    }
}
