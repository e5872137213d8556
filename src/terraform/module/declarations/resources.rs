//! Resources, data sources and ephemeral resources: their lifecycle, provisioners and connections.

use super::{Check, hint, is_computed};
use crate::hcl::ast::{Attribute, Block, Body, Expr, ExprKind, TraversalStep, walk};
use crate::hcl::parse::parse_expression;
use crate::terraform::module::declarations::steps::Quoted;

/// What an argument of a provisioner or a connection takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Flag,
    List,
    Map,
}

/// The provisioners of OpenTofu, with their arguments.
const PROVISIONERS: [(&str, &[(&str, Kind)]); 3] = [
    ("file", &[("source", Kind::Text), ("content", Kind::Text), ("destination", Kind::Text)]),
    (
        "local-exec",
        &[
            ("command", Kind::Text),
            ("interpreter", Kind::List),
            ("working_dir", Kind::Text),
            ("environment", Kind::Map),
            ("quiet", Kind::Flag),
        ],
    ),
    ("remote-exec", &[("inline", Kind::List), ("script", Kind::Text), ("scripts", Kind::List)]),
];
/// Provisioners that were removed from OpenTofu.
const REMOVED: [&str; 4] = ["chef", "habitat", "puppet", "salt-masterless"];
/// The arguments of each provisioner of which it takes exactly one.
const ONE_OF: [(&str, &[&str]); 2] =
    [("file", &["source", "content"]), ("remote-exec", &["inline", "script", "scripts"])];
/// The arguments of each provisioner that are mandatory.
const NEEDED: [(&str, &str); 2] = [("file", "destination"), ("local-exec", "command")];
/// Arguments of every provisioner.
const OF_PROVISIONERS: [&str; 2] = ["when", "on_failure"];
/// The arguments of a connection.
const CONNECTION: [(&str, Kind); 29] = [
    ("host", Kind::Text),
    ("type", Kind::Text),
    ("user", Kind::Text),
    ("password", Kind::Text),
    ("port", Kind::Number),
    ("timeout", Kind::Text),
    ("script_path", Kind::Text),
    ("target_platform", Kind::Text),
    ("private_key", Kind::Text),
    ("certificate", Kind::Text),
    ("host_key", Kind::Text),
    ("agent", Kind::Flag),
    ("agent_identity", Kind::Text),
    ("proxy_scheme", Kind::Text),
    ("proxy_host", Kind::Text),
    ("proxy_port", Kind::Number),
    ("proxy_user_name", Kind::Text),
    ("proxy_user_password", Kind::Text),
    ("bastion_host", Kind::Text),
    ("bastion_host_key", Kind::Text),
    ("bastion_port", Kind::Number),
    ("bastion_user", Kind::Text),
    ("bastion_password", Kind::Text),
    ("bastion_private_key", Kind::Text),
    ("bastion_certificate", Kind::Text),
    ("https", Kind::Flag),
    ("insecure", Kind::Flag),
    ("cacert", Kind::Text),
    ("use_ntlm", Kind::Flag),
];

impl Check<'_> {
    pub(super) fn resource(&mut self, block: &Block, is_managed: bool) {
        self.name(block.labels.first(), "resource type");
        self.name(block.labels.get(1), "resource");
        self.depends_on(block);
        match (block.body.get("provider"), block.labels.first()) {
            (Some(provider), _) => drop(self.provider_reference(&provider.expr)),
            (None, Some(kind)) if !self.is_override => self.implied_name(kind),
            _ => {}
        }
        let enabled = block.body.blocks_of("lifecycle").find_map(|lifecycle| lifecycle.body.get("enabled"));
        let repeats = ["count", "for_each"].into_iter().filter_map(|name| block.body.get(name)).chain(enabled);
        if let [first, second, ..] = repeats.collect::<Vec<_>>().as_slice() {
            let (one, other) = (&first.name.text, &second.name.text);
            let message = format!("invalid combination of \"{one}\" and \"{other}\": only one of them can be set");
            self.wrong(first.name.span, message);
        }
        for lifecycle in block.body.blocks_of("lifecycle") {
            self.conditions(lifecycle, &["precondition", "postcondition"]);
            if is_managed {
                self.flags(&lifecycle.body, &["create_before_destroy", "destroy"]);
                lifecycle.body.get("ignore_changes").into_iter().for_each(|changes| self.ignored(changes));
                lifecycle.body.get("replace_triggered_by").into_iter().for_each(|triggers| self.triggers(triggers));
            }
        }
        if is_managed {
            let connection = block.body.blocks_of("connection").next();
            for provisioner in block.body.blocks_of("provisioner") {
                self.provisioner(provisioner, connection.map(|connection| &connection.body));
            }
            let is_last = |provisioner: &Block| is_destroying(&provisioner.body);
            if let Some(connection) = connection.filter(|_| block.body.blocks_of("provisioner").any(is_last)) {
                self.own_references(&connection.body);
            }
        }
    }

    /// `ignore_changes`: a list of arguments, or all.
    fn ignored(&mut self, changes: &Attribute) {
        let word = walk::keyword(&changes.expr).map(|word| &**word);
        let text = walk::constant_text(&changes.expr).filter(|_| self.quoted == Quoted::Accepted);
        if word.or(text) == Some("all") {
            return;
        }
        let ExprKind::Tuple(items) = &changes.expr.kind else {
            let message = "invalid ignore_changes: a list of arguments is required, or the keyword \"all\"";
            self.wrong(changes.expr.span, message);
            return;
        };
        for item in items {
            if walk::constant_text(item) == Some("*") {
                self.wrong(item.span, "invalid ignore_changes wildcard: \"*\" is written as ignore_changes = all");
            } else if is_computed(item) {
                let message = "invalid expression: ignore_changes takes no calculations and no functions";
                self.wrong(item.span, message);
            }
        }
    }

    /// `replace_triggered_by`: a list of references to resources, whose keys may be `each.key` and `count.index`.
    fn triggers(&mut self, triggers: &Attribute) {
        let ExprKind::Tuple(items) = &triggers.expr.kind else {
            self.wrong(triggers.expr.span, "invalid replace_triggered_by: a list of references is required");
            return;
        };
        for item in items {
            let text = walk::constant_text(item).filter(|_| self.quoted == Quoted::Accepted);
            let parsed = text.and_then(|text| parse_expression(text).ok());
            let expr = parsed.as_ref().unwrap_or(item);
            if is_computed(expr) {
                let message = "invalid expression: replace_triggered_by takes no calculations and no functions";
                self.wrong(item.span, message);
                continue;
            }
            let (mut resources, mut is_other) = (0_usize, false);
            for reference in walk::references(expr) {
                match (&*reference.root.text, first_name(reference.steps)) {
                    ("each", Some("key")) | ("count", Some("index")) => {}
                    ("each" | "count" | "var" | "local" | "module" | "self" | "path" | "terraform" | "tofu", _) => {
                        is_other = true;
                    }
                    _ => resources += 1,
                }
            }
            if is_other {
                let message = "invalid reference in replace_triggered_by: only resources, count.index and each.key can be referred to";
                self.wrong(item.span, message);
            } else if resources != 1 {
                let message = "invalid replace_triggered_by expression: each item refers to one resource";
                self.wrong(item.span, message);
            }
        }
    }

    /// A provisioner. `outer` is the connection of its resource.
    pub(super) fn provisioner(&mut self, block: &Block, outer: Option<&Body>) {
        for (name, words) in [("when", ["create", "destroy"]), ("on_failure", ["continue", "fail"])] {
            if let Some(attribute) = block.body.get(name)
                && !walk::name(&attribute.expr).is_some_and(|word| words.contains(&word))
            {
                let [one, other] = words;
                self.wrong(attribute.expr.span, format!("invalid \"{name}\" keyword: it must be {one} or {other}"));
            }
        }
        if is_destroying(&block.body) {
            self.own_references(&block.body);
        }
        let connection = block.body.blocks_of("connection").next().map(|connection| &connection.body);
        for body in [outer, connection].into_iter().flatten() {
            self.arguments(body, &CONNECTION, &[], "connection");
        }
        let has_host = |body: &&Body| body.get("host").is_some();
        if let Some(any) = connection.or(outer)
            && ![outer, connection].iter().flatten().any(has_host)
            && !self.is_override
        {
            self.wrong(any.span, "missing required argument: a connection needs \"host\"");
        }
        let Some(kind) = block.label(0) else { return };
        if REMOVED.contains(&&**kind) {
            self.wrong(block.header(), format!("the \"{kind}\" provisioner has been removed from OpenTofu"));
        }
        let Some((kind, known)) = PROVISIONERS.iter().find(|(name, _)| *name == &**kind) else { return };
        self.arguments(&block.body, known, &["connection"], "provisioner");
        if self.is_override || block.body.blocks_of("_").next().is_some() {
            return;
        }
        for (_, needed) in NEEDED.iter().filter(|(of, needed)| of == kind && block.body.get(needed).is_none()) {
            let message = format!("missing required argument: this provisioner needs \"{needed}\"");
            self.wrong(block.header(), message);
        }
        for (_, names) in ONE_OF.iter().filter(|(of, _)| of == kind) {
            let given = names.iter().filter_map(|name| block.body.get(name));
            let given = given.filter(|attribute| !matches!(attribute.expr.kind, ExprKind::Null)).count();
            if given != 1 {
                let names = names.join("\", \"");
                self.wrong(block.header(), format!("invalid {kind} provisioner: it takes exactly one of \"{names}\""));
            }
        }
    }

    /// The arguments of a body whose arguments are known, which has only blocks of these types.
    fn arguments(&mut self, body: &Body, known: &[(&str, Kind)], blocks: &[&str], what: &str) {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let is_provisioner = what == "provisioner";
        let is_own = |a: &&Attribute| !is_provisioner || !OF_PROVISIONERS.contains(&&*a.name.text);
        for attribute in body.attributes.iter().filter(is_own) {
            let name = &*attribute.name.text;
            match known.iter().find(|(known, _)| *known == name) {
                None => {
                    let message =
                        format!("unsupported argument: a {what} has no argument \"{name}\"{}", hint(name, &names));
                    self.wrong(attribute.name.span, message);
                }
                Some((_, kind)) if !fits(&attribute.expr, *kind) => {
                    let message = format!("incorrect value for \"{name}\": {} is required", kind.text());
                    self.wrong(attribute.expr.span, message);
                }
                Some(_) => {}
            }
        }
        for inner in body.blocks.iter().filter(|inner| &*inner.kind.text != "_") {
            let kind = &*inner.kind.text;
            // What is reserved is reported as such.
            if !blocks.contains(&kind) && kind != "lifecycle" {
                let message = format!("unsupported block type: a {what} has no blocks of type \"{kind}\"");
                self.wrong(inner.kind.span, message);
            }
        }
    }

    /// When a resource is destroyed, nothing else may be there any more: what is evaluated then refers to the resource itself.
    fn own_references(&mut self, body: &Body) {
        for attribute in body.attributes.iter().filter(|a| !OF_PROVISIONERS.contains(&&*a.name.text)) {
            let is_own = |reference: &walk::Reference<'_>| {
                matches!(
                    (&*reference.root.text, first_name(reference.steps).unwrap_or_default()),
                    ("self" | "path" | "terraform" | "tofu", _) | ("count", "index") | ("each", "key")
                )
            };
            if !walk::references(&attribute.expr).iter().all(is_own) {
                let message = "invalid reference from destroy provisioner: only self, count.index and each.key can be referred to";
                self.wrong(attribute.expr.span, message);
            }
        }
        body.blocks.iter().for_each(|inner| self.own_references(&inner.body));
    }
}

impl Kind {
    fn text(self) -> &'static str {
        match self {
            Kind::Text => "a text",
            Kind::Number => "a number",
            Kind::Flag => "true or false",
            Kind::List => "a list",
            Kind::Map => "a map",
        }
    }
}

/// Whether an expression may be of a kind: whether it is no literal of another one.
fn fits(expr: &Expr, kind: Kind) -> bool {
    let text = walk::constant_text(expr);
    match (&walk::unwrapped(expr).kind, kind) {
        (ExprKind::Tuple(_), kind) => kind == Kind::List,
        (ExprKind::Object(_), kind) => kind == Kind::Map,
        (ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Template(_), Kind::List | Kind::Map) => false,
        (ExprKind::Bool(_), Kind::Number) | (ExprKind::Number(_), Kind::Flag) => false,
        (ExprKind::Template(_), Kind::Number) => text.is_none_or(|text| text.trim().parse::<f64>().is_ok()),
        (ExprKind::Template(_), Kind::Flag) => text.is_none_or(|text| matches!(text, "true" | "false" | "0" | "1")),
        _ => true,
    }
}

/// Whether a provisioner runs when its resource is destroyed.
fn is_destroying(body: &Body) -> bool {
    body.get("when").is_some_and(|when| walk::name(&when.expr) == Some("destroy"))
}

fn first_name(steps: &[TraversalStep]) -> Option<&str> {
    match steps.first() {
        Some(TraversalStep::Attribute(name)) => Some(&name.text),
        _ => None,
    }
}
