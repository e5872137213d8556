//! Type constraints: `map(object({ name = string, size = optional(number, 1) }))`.

use crate::ast::walk;
use crate::ast::{Expr, ExprKind, Span, SyntaxError};
use crate::parse::parse_expression;
use crate::types::convert::{Defaults, convert};
use crate::types::{Attribute, Type};
use crate::val::Val;
use shared_text::Text;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Evaluates the default of an optional attribute, which refers to nothing.
pub type DefaultOf<'a> = dyn FnMut(&Expr) -> Val + 'a;

/// A type constraint with the defaults of its optional attributes.
///
/// # Errors
/// The part that is not a type.
pub fn constraint(expr: &Expr, is_json: bool, default: &mut DefaultOf<'_>) -> Result<(Type, Defaults), SyntaxError> {
    let expr = match walk::constant_text(expr) {
        Some(text) if is_json => {
            let parsed = parse_expression(text)
                .map_err(|_| invalid(expr.span, format!("\"{text}\" is not a valid type specification.")))?;
            walk::placed(parsed, expr.span)
        }
        Some(text) => {
            let detail = format!(
                "A type constraint in quotes is an old form that is no longer accepted. Remove the quotes around \"{text}\"."
            );
            return Err(SyntaxError { summary: "Invalid quoted type constraints", detail, span: expr.span });
        }
        None => expr.clone(),
    };
    // In old configurations `list` and `map` alone mean lists and maps of one type.
    match walk::keyword(&expr).map(|k| &**k) {
        Some("list") => return Ok((Type::list(Type::Dynamic), Defaults::default())),
        Some("map") => return Ok((Type::map(Type::Dynamic), Defaults::default())),
        Some("set") => return Ok((Type::set(Type::Dynamic), Defaults::default())),
        _ => {}
    }
    let mut reader = Reader { default };
    reader.read(&expr)
}

fn invalid(span: Span, detail: impl Into<String>) -> SyntaxError {
    SyntaxError { summary: "Invalid type specification", detail: detail.into(), span }
}

/// The type that a keyword names.
fn keyword(word: &str, span: Span) -> Result<Type, SyntaxError> {
    Ok(match word {
        "string" => Type::Str,
        "number" => Type::Number,
        "bool" => Type::Bool,
        "any" => Type::Dynamic,
        "list" | "map" | "set" => {
            return Err(invalid(
                span,
                format!("The {word} type constructor requires one argument specifying the element type."),
            ));
        }
        "object" => {
            return Err(invalid(
                span,
                "The object type constructor requires one argument specifying the attribute types and values as a map.",
            ));
        }
        "tuple" => {
            return Err(invalid(
                span,
                "The tuple type constructor requires one argument specifying the element types as a list.",
            ));
        }
        other => {
            return Err(invalid(span, format!("The keyword \"{other}\" is not a valid type specification.")));
        }
    })
}

struct Reader<'a, 'd> {
    default: &'a mut DefaultOf<'d>,
}

type Found = Result<(Type, Defaults), SyntaxError>;

impl Reader<'_, '_> {
    fn read(&mut self, expr: &Expr) -> Found {
        if let Some(word) = walk::keyword(expr) {
            return Ok((keyword(word, expr.span)?, Defaults::default()));
        }
        let ExprKind::Call(call) = &expr.kind else {
            return Err(invalid(
                expr.span,
                "A type specification is either a primitive type keyword (bool, number, string) or a complex type constructor call, like list(string).",
            ));
        };
        let name = &*call.name.text;
        let wrap: fn(Type) -> Type = match name {
            "list" => Type::list,
            "set" => Type::set,
            "map" => Type::map,
            "object" | "tuple" => |ty| ty,
            "optional" => {
                return Err(invalid(
                    call.name.span,
                    "Keyword \"optional\" is valid only as a modifier for object type attributes.",
                ));
            }
            _ => return Err(invalid(call.name.span, format!("Keyword \"{name}\" is not a valid type constructor."))),
        };
        let [argument] = call.arguments.as_slice() else {
            let detail = format!("The {name} type constructor requires one argument specifying the element type.");
            let place = call.arguments.get(1).map_or(expr.span, |a| a.span);
            return Err(invalid(place, detail));
        };
        match name {
            "object" => self.object(argument),
            "tuple" => self.tuple(argument),
            _ => {
                let (ty, inner) = self.read(argument)?;
                let mut defaults = Defaults::default();
                if !inner.is_empty() {
                    defaults.children.insert(Text::new(), Arc::new(inner));
                }
                Ok((wrap(ty), defaults))
            }
        }
    }

    fn tuple(&mut self, argument: &Expr) -> Found {
        let ExprKind::Tuple(items) = &argument.kind else {
            return Err(invalid(argument.span, "Tuple type constructor requires a list of element types."));
        };
        let (mut types, mut defaults) = (Vec::new(), Defaults::default());
        for (index, item) in items.iter().enumerate() {
            let (ty, inner) = self.read(item)?;
            types.push(ty);
            if !inner.is_empty() {
                defaults.children.insert(index.to_string().into(), Arc::new(inner));
            }
        }
        Ok((Type::Tuple(Arc::new(types)), defaults))
    }

    fn object(&mut self, argument: &Expr) -> Found {
        let ExprKind::Object(items) = &argument.kind else {
            return Err(invalid(
                argument.span,
                "Object type constructor requires a map whose keys are attribute names and whose values are the corresponding attribute types.",
            ));
        };
        let (mut attributes, mut defaults) = (BTreeMap::new(), Defaults::default());
        for (key, value) in items {
            let Some(name) = walk::name(key).map(Text::from) else {
                return Err(invalid(key.span, "Object constructor map keys must be attribute names."));
            };
            let (expr, is_optional, default) = match &value.kind {
                ExprKind::Call(call) if &*call.name.text == "optional" => match call.arguments.as_slice() {
                    [ty] => (ty, true, None),
                    [ty, default] => (ty, true, Some(default)),
                    _ => {
                        return Err(invalid(
                            value.span,
                            "Optional attribute modifier requires the attribute type as its argument.",
                        ));
                    }
                },
                _ => (value, false, None),
            };
            let (ty, inner) = self.read(expr)?;
            if let Some(default) = default {
                let given = inner.apply(&(self.default)(default));
                let converted = convert(&given, &ty).map_err(|why| SyntaxError {
                    summary: "Invalid default value for optional attribute",
                    detail: format!(
                        "This default value is not compatible with the attribute's type constraint: {}.",
                        why.text()
                    ),
                    span: default.span,
                })?;
                defaults.values.insert(Text::clone(&name), converted);
            }
            if !inner.is_empty() {
                defaults.children.insert(Text::clone(&name), Arc::new(inner));
            }
            attributes.insert(name, Attribute { ty, is_optional });
        }
        Ok((Type::Object(Arc::new(attributes)), defaults))
    }
}
