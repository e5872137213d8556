//! Collects the components of a root module.

use crate::dialects::opentofu::components::value::{at, unknown};
use crate::dialects::opentofu::discovery::variants::Variant;
use crate::dialects::opentofu::vocabulary::VOCABULARY;
use crate::files::Files;
use crate::hcl::val::export::export_at;
use crate::resolution::{Component, ComponentMetadata, RemovalEffect};
use crate::terraform::evaluation::statics::{Found, Identifier, Statics};
use crate::terraform::failure::Failure;
use crate::terraform::module::block::Written;
use crate::text::Text;
use crate::value::{Language, Origin, Value};
use std::sync::Arc;

/// The content of a component.
pub(crate) struct Described {
    /// Its type.
    pub kind: &'static str,
    /// Its name.
    pub name: Text,
    /// Its configuration.
    pub value: Value,
    /// The effect of removing it.
    pub removal: RemovalEffect,
    /// Metadata for rules.
    pub metadata: ComponentMetadata,
}

/// A component that only describes others.
pub(crate) fn described(kind: &'static str, name: impl Into<Text>, value: Value) -> Described {
    let (removal, metadata) = (RemovalEffect::Nothing, ComponentMetadata::default());
    Described { kind, name: name.into(), value, removal, metadata }
}

/// Collects the components of a root module.
pub(crate) struct Builder<'b, 'a> {
    /// How the root module is resolved.
    pub variant: &'b Variant,
    /// The components so far.
    pub components: Vec<Arc<Component>>,
    /// The evaluation.
    pub statics: &'b Statics<'a>,
    /// The table of files.
    pub files: &'b Files,
}

impl Builder<'_, '_> {
    /// Adds a component; `shaping` are its lines that are not the origin of one of its values.
    pub(crate) fn add(&mut self, described: Described, shaping: impl Iterator<Item = Origin>) {
        let Described { kind, name, value, removal, metadata } = described;
        self.components.push(Arc::new(Component {
            stack: self.variant.stack.clone(),
            kind: kind.into(),
            name,
            value,
            shaping_origins: shaping.collect(),
            locals: None,
            declared: None,
            removal,
            metadata,
            language: Language { vocabulary: &VOCABULARY, ..Language::default() },
        }));
    }

    /// The value of an argument of a module: evaluated, or its text with what it needs.
    pub(crate) fn evaluated(&self, node: usize, written: &Written, name: String) -> Value {
        self.exported(written, self.statics.value(node, written, Identifier { text: name, place: written.argument() }))
    }

    /// The same of an argument of a module call.
    pub(crate) fn given(&self, node: usize, written: &Written, name: String) -> Value {
        self.exported(
            written,
            self.statics.evaluate_argument(node, written, Identifier { text: name, place: written.argument() }),
        )
    }

    fn exported(&self, written: &Written, found: Found) -> Value {
        match found {
            Ok(value) => export_at(&value, &at(written)),
            Err(found) => self.as_written(written, &found),
        }
    }

    /// The text of an argument.
    pub(crate) fn text(&self, written: &Written) -> Text {
        let file = self.files.get(written.file);
        let text = file.text.get(written.expr.span.start as usize..written.expr.span.end as usize).unwrap_or_default();
        text.into()
    }

    /// The text of what cannot be computed, with what it needs.
    fn as_written(&self, written: &Written, found: &[Failure]) -> Value {
        let mut value = unknown(found, written);
        let text = self.text(written);
        if let crate::value::Data::Unknown(unknown) = &mut value.data {
            let text = if text.starts_with(['"', '<']) { text.to_string() } else { format!("${{{text}}}") };
            Arc::make_mut(unknown).text = text.into();
        }
        value
    }
}
