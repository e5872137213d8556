//! Encryption of states and plans: key providers, methods, and what uses them.

use crate::hcl::ast::walk;
use crate::hcl::ast::{Expr, ExprKind, TraversalStep};
use crate::hcl::val::{Data as ValData, Val};
use crate::resolution::{Cipher, ComponentMetadata, Encrypted, RemovalEffect};
use crate::terraform::components::builder::{Builder, Described, described};
use crate::terraform::evaluation::shown::{at, exported, origin};
use crate::terraform::evaluation::statics::{Identifier, Statics};
use crate::terraform::failure::Failure;
use crate::terraform::module::block::{Declared, Encryption, Target, Written};
use crate::terraform::module::variable::flag;
use crate::terraform::rules;
use crate::text::Text;
use crate::value::{Data, Key, Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const KEY_PROVIDERS: [&str; 7] = ["pbkdf2", "aws_kms", "gcp_kms", "azure_vault", "openbao", "external", "xor"];
const METHODS: [&str; 3] = ["aes_gcm", "unencrypted", "external"];
/// The arguments that name a key provider, in JSON as text.
const REFERRING: [&str; 2] = ["keys", "chain"];
/// The shortest passphrase.
const SHORTEST: usize = 16;

struct Resolver<'s, 'a> {
    statics: &'s Statics<'a>,
    all: &'s Encryption,
    /// The failures of each key provider and method, by its reference.
    wrong: BTreeMap<String, Vec<Failure>>,
    /// The key providers that each of them refers to.
    needs: BTreeMap<String, BTreeSet<Text>>,
    /// The arguments of each of them that cannot be computed. They only count where it is used.
    failed: BTreeMap<String, Vec<(Key, Value)>>,
}

/// Adds the encryption of a root module.
pub(crate) fn add(builder: &mut Builder<'_, '_>, failures: &mut Vec<Failure>) {
    let module = Arc::clone(&builder.statics.nodes[0].module);
    if let Some(found) = resolve(builder.statics, &module.encryption, failures) {
        let metadata = ComponentMetadata { encryption: found.targets.into(), ..ComponentMetadata::default() };
        let described = described("encryption", "encryption", found.value);
        let described = Described { removal: RemovalEffect::Relocated, metadata, ..described };
        builder.add(described, module.encryption.place.map(origin).into_iter());
    }
}

/// The encryption of a root module, and what is wrong with what is used of it.
fn resolve(statics: &Statics<'_>, all: &Encryption, failures: &mut Vec<Failure>) -> Option<Found> {
    let place = all.place?;
    let (wrong, needs, failed) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut resolver = Resolver { statics, all, wrong, needs, failed };
    let key_providers = resolver.group(&all.key_providers, "key_provider", &KEY_PROVIDERS);
    let methods = resolver.group(&all.methods, "method", &METHODS);
    let mut map = Map::new();
    let mut used = BTreeSet::new();
    let mut is_forbidden = false;
    for (name, target) in &all.targets {
        map.set(Key::from(&**name), Value::map(resolver.target(target, &mut used, &mut is_forbidden, failures)));
    }
    if !all.remote.is_empty() {
        let mut remote = Map::new();
        for (name, target) in &all.remote {
            remote.set(Key::from(&**name), Value::map(resolver.target(target, &mut used, &mut is_forbidden, failures)));
        }
        map.set("remote_state_data_sources", Value::map(remote));
    }
    if is_forbidden {
        let message = "unencrypted method is forbidden: it is used although the enforced flag is set";
        failures.push(Failure::new(&rules::ENCRYPTION, message, place));
    }
    let used = resolver.report(used, failures);
    map.set("key_providers", Value::map(resolver.completed(key_providers, "key_provider", &used)));
    map.set("methods", Value::map(resolver.completed(methods, "method", &used)));
    let value = Value::map(map);
    let targets = state(all, &value).into_iter().collect();
    Some(Found { value, targets })
}

/// The encryption of a root module.
struct Found {
    /// As it is shown.
    value: Value,
    /// How the state is written and read.
    targets: Vec<Encrypted>,
}

/// How the state is written, and with what it can be read.
fn state(all: &Encryption, value: &Value) -> Option<Encrypted> {
    let target = all.targets.get("state")?;
    let mut reads = Vec::new();
    let mut current = Some(target);
    while let Some(next) = current {
        // Blocks without a name cannot be compared.
        let name = next.method.as_ref().and_then(|w| method_name(&w.expr));
        reads.push(name.map_or_else(Cipher::default, |name| cipher(&name, value)));
        current = next.fallback.as_deref();
    }
    Some(Encrypted { target: "state".into(), reads })
}

/// Returns a method with the keys that it uses, which read data.
fn cipher(method: &str, value: &Value) -> Cipher {
    let name = Text::from(format!("method.{method}"));
    let kind = method.split('.').next().unwrap_or_default();
    if kind == "unencrypted" {
        return Cipher { name, definition: Some(Value::default()) };
    }
    let mut definition = Map::new();
    definition.set("type", Value::str(kind));
    let is_whole = define(("methods", method), value, &mut definition, 0).is_some();
    Cipher { name, definition: is_whole.then(|| Value::map(definition)) }
}

/// Adds the attributes of a method or a key provider, and those of the key providers that it uses; `None` if one of them is not
/// there. The name of a key provider counts, because the state is stored with it; that of a method does not.
fn define((group, name): (&str, &str), value: &Value, into: &mut Map, depth: usize) -> Option<()> {
    const DEEPEST: usize = 16;
    let attributes = value.at_path([group, name])?.as_map()?;
    let owner = if group == "methods" { "method" } else { name };
    if depth > DEEPEST {
        return None;
    }
    for entry in attributes.iter() {
        let key = entry.value.get("$ref").and_then(Value::as_str).and_then(|key| key.strip_prefix("key_provider."));
        into.set(Key::from(format!("{owner}.{}", entry.key)), entry.value.clone());
        if let Some(key) = key {
            define(("key_providers", key), value, into, depth + 1)?;
        }
    }
    Some(())
}

impl Resolver<'_, '_> {
    /// The attributes of all key providers or methods, by their names.
    fn group(&mut self, blocks: &BTreeMap<Text, Declared>, what: &str, known: &[&str]) -> BTreeMap<Text, Map> {
        let mut groups = BTreeMap::new();
        for (name, block) in blocks {
            let reference = format!("{what}.{name}");
            let kind = name.split('.').next().unwrap_or_default();
            let mut wrong = Vec::new();
            if !known.contains(&kind) {
                let message = format!("there is no {what} of type \"{kind}\"");
                wrong.push(Failure::new(&rules::ENCRYPTION, message, block.place));
            }
            let mut attributes = Map::new();
            for (argument, written) in &block.arguments {
                if let Some(value) = self.attribute(&reference, argument, written, block, &mut wrong) {
                    attributes.set(Key::from(&**argument), value);
                }
            }
            groups.insert(name.clone(), attributes);
            self.wrong.insert(reference, wrong);
        }
        groups
    }

    /// The key providers or methods, with the arguments that cannot be computed of those that are used.
    fn completed(&mut self, groups: BTreeMap<Text, Map>, what: &str, used: &BTreeSet<String>) -> Map {
        let complete = |(name, mut attributes): (Text, Map)| {
            let reference = format!("{what}.{name}");
            let failed = used.contains(&reference).then(|| self.failed.remove(&reference)).flatten();
            failed.into_iter().flatten().for_each(|(key, value)| attributes.set(key, value));
            (Key::from(&*name), Value::map(attributes))
        };
        groups.into_iter().map(complete).collect()
    }

    fn attribute(
        &mut self,
        reference: &str,
        argument: &str,
        written: &Written,
        block: &Declared,
        wrong: &mut Vec<Failure>,
    ) -> Option<Value> {
        // In other arguments a text is one, whatever it looks like.
        let is_reference = REFERRING.contains(&argument) || walk::constant_text(&written.expr).is_none();
        if let Some(name) = key_provider_text(&written.expr).filter(|_| is_reference) {
            let value = Value::map(Map::from_iter([("$ref".into(), Value::str(format!("key_provider.{name}")))]));
            self.need(reference, &name, written, wrong);
            return Some(value.with_prov(at(written)));
        }
        let all = self.all;
        let is_known = |name: &str| all.key_providers.contains_key(name);
        let text = format!("encryption.{reference}");
        let identifier = Identifier { text, place: block.place };
        for name in walk::references(&written.expr).iter().filter(|r| &*r.root.text == "key_provider") {
            if let [TraversalStep::Attribute(kind), TraversalStep::Attribute(name), ..] = name.steps {
                self.needs
                    .entry(reference.to_owned())
                    .or_default()
                    .insert(format!("{}.{}", kind.text, name.text).into());
            }
        }
        match self.statics.value_with_keys(0, written, identifier, Some(&is_known)) {
            Ok(value) => {
                self.check(reference, argument, &value, written, wrong);
                (!value.is_null()).then(|| exported(self.statics, 0, written, Ok(value)))
            }
            Err(found) => {
                wrong.extend(found.iter().cloned());
                let value = exported(self.statics, 0, written, Err(found));
                self.failed.entry(reference.to_owned()).or_default().push((Key::from(argument), value));
                None
            }
        }
    }

    fn need(&mut self, reference: &str, name: &Text, written: &Written, wrong: &mut Vec<Failure>) {
        self.needs.entry(reference.to_owned()).or_default().insert(name.clone());
        if !self.all.key_providers.contains_key(name) {
            let message = format!(
                "reference to undeclared key provider: there is no key provider \"{name}\" in the encryption block"
            );
            wrong.push(Failure::new(&rules::ENCRYPTION, message, written.place()));
        }
    }

    fn check(&self, reference: &str, argument: &str, value: &Val, written: &Written, wrong: &mut Vec<Failure>) {
        if reference.starts_with("key_provider.pbkdf2.")
            && argument == "passphrase"
            && let ValData::Str(text) = &value.data
            && text.len() < SHORTEST
        {
            let message =
                format!("{reference}: the passphrase is too short (at least {SHORTEST} characters are needed)");
            wrong.push(Failure::new(&rules::ENCRYPTION, message, written.place()));
        }
    }

    fn target(
        &self,
        target: &Target,
        used: &mut BTreeSet<String>,
        is_forbidden: &mut bool,
        failures: &mut Vec<Failure>,
    ) -> Map {
        let enforced = target.enforced.as_ref().and_then(|w| flag(w, failures)).unwrap_or(false);
        let mut map = Map::new();
        if let Some(written) = &target.method {
            map.set("method", self.method(written, used, failures));
        }
        if let Some(written) = &target.enforced {
            map.set("enforced", Value::new(Data::Bool(enforced)).with_prov(at(written)));
        }
        let fallback = target.fallback.as_deref();
        if enforced {
            let mut current = Some(target);
            while let Some(next) = current {
                let name = next.method.as_ref().and_then(|w| method_name(&w.expr));
                *is_forbidden |= name.is_some_and(|n| n.starts_with("unencrypted."));
                current = next.fallback.as_deref();
            }
        }
        if let Some(inner) = fallback {
            map.set("fallback", Value::map(self.target(inner, used, &mut false, failures)));
        }
        map
    }

    fn method(&self, written: &Written, used: &mut BTreeSet<String>, failures: &mut Vec<Failure>) -> Value {
        let text = match method_name(&written.expr) {
            Some(name) => {
                if self.all.methods.contains_key(&*name) {
                    used.insert(format!("method.{name}"));
                } else {
                    let message = format!(
                        "reference to undeclared encryption method: there is no method \"{name}\" in the encryption block"
                    );
                    failures.push(Failure::new(&rules::ENCRYPTION, message, written.place()));
                }
                format!("method.{name}")
            }
            None => {
                let message = "invalid encryption method identifier: it has the form method.<type>.<name>";
                failures.push(Failure::new(&rules::ENCRYPTION, message, written.place()));
                dotted(&written.expr).unwrap_or_default()
            }
        };
        Value::str(text).with_prov(at(written))
    }

    /// Reports the failures of what the targets use, directly and through key providers, and returns all of that.
    fn report(&self, used: BTreeSet<String>, failures: &mut Vec<Failure>) -> BTreeSet<String> {
        let mut open: Vec<(String, Vec<String>)> = used.into_iter().map(|name| (name, Vec::new())).collect();
        let mut seen = BTreeSet::new();
        while let Some((name, chain)) = open.pop() {
            if let Some(start) = chain.iter().position(|n| *n == name) {
                let cycle: Vec<&str> = chain[start..].iter().chain([&name]).map(|n| &**n).collect();
                let block = name.strip_prefix("key_provider.").and_then(|n| self.all.key_providers.get(n));
                if let Some(block) = block {
                    let message = format!("key providers refer to each other: {}", cycle.join(" needs "));
                    let place = block.arguments.values().next().map_or(block.place, Written::place);
                    failures.push(Failure::new(&rules::ENCRYPTION, message.clone(), place));
                    for other in chain[start..]
                        .iter()
                        .filter_map(|n| self.all.key_providers.get(n.strip_prefix("key_provider.")?))
                    {
                        let places = other
                            .arguments
                            .values()
                            .filter(|w| key_provider_text(&w.expr).is_some() || !walk::references(&w.expr).is_empty());
                        failures.extend(places.map(|w| Failure::new(&rules::ENCRYPTION, message.clone(), w.place())));
                    }
                }
                continue;
            }
            if !seen.insert(name.clone()) {
                continue;
            }
            failures.extend(self.wrong.get(&name).into_iter().flatten().cloned());
            let needs = self.needs.get(&name).into_iter().flatten();
            let chain: Vec<String> = chain.into_iter().chain([name.clone()]).collect();
            for need in needs {
                let need = format!("key_provider.{need}");
                // A name that is in the chain is examined again, to find the cycle.
                if chain.contains(&need) {
                    seen.remove(&need);
                }
                open.push((need, chain.clone()));
            }
        }
        seen
    }
}

/// The names of a reference without steps that are computed: `a.b.c`. JSON has it as text.
fn dotted(expr: &Expr) -> Option<String> {
    if let Some(text) = walk::constant_text(expr) {
        return Some(text.to_owned());
    }
    let expr = match &expr.kind {
        ExprKind::Wrapped(inner) | ExprKind::Paren(inner) => inner,
        _ => expr,
    };
    let reference = walk::as_reference(expr)?;
    let names: Option<Vec<&str>> = reference
        .steps
        .iter()
        .map(|s| if let TraversalStep::Attribute(name) = s { Some(&*name.text) } else { None })
        .collect();
    Some([vec![&*reference.root.text], names?].concat().join("."))
}

fn three_parts(expr: &Expr, what: &str) -> Option<Text> {
    let text = dotted(expr)?;
    let rest = text.strip_prefix(what)?.strip_prefix('.')?;
    (rest.split('.').count() == 2 && rest.split('.').all(|p| !p.is_empty())).then(|| rest.into())
}

/// The method that an expression names: a plain reference, no template.
fn method_name(expr: &Expr) -> Option<Text> {
    if matches!(expr.kind, ExprKind::Wrapped(_)) { None } else { three_parts(expr, "method") }
}

/// The key provider that a text of JSON names.
fn key_provider_text(expr: &Expr) -> Option<Text> {
    three_parts(expr, "key_provider")
}
