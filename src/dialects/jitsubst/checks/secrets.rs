//! Declared secrets, and texts that look like secrets.

use super::Subject;
use super::occurrences::{Extents, Names};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::{Diagnostics, value_label};
use crate::dialects::jitsubst::config::SecretKind;
use crate::dialects::jitsubst::defer::PRESERVED;
use crate::dialects::jitsubst::rules;
use crate::value::{Data, FileId, Value};
use std::collections::{BTreeSet, HashSet};

pub(super) fn check(subject: &Subject<'_>, diagnostics: &Diagnostics) {
    let main = subject.loaded.first().map_or(FileId::new(0), |l| l.file);
    sources(subject, main, diagnostics);
    unused(subject, main, diagnostics);
    for stack in subject.stacks {
        for planned in &stack.resources {
            literals(&planned.resource.config, false, &mut |value, what| {
                let message = format!("this looks like {what} in plain text");
                let finding = Diagnostic::new(
                    &rules::JIT_SECRET_LITERAL,
                    message,
                    value_label(&value.prov, planned.resource.file, ""),
                )
                .help("declare it below `secrets` and refer to it as `${NAME}`");
                diagnostics.report_in(&stack.name, finding);
            });
        }
    }
}

/// Checks that secrets from outputs name a module.
fn sources(subject: &Subject<'_>, main: FileId, diagnostics: &Diagnostics) {
    let mut names: BTreeSet<&str> = subject.config.modules.iter().map(|m| &*m.name).collect();
    names.extend(subject.stacks.iter().flat_map(|s| &s.resources).map(|p| &*p.resource.name));
    for secret in subject.config.secrets.iter() {
        let SecretKind::Output(source) = &secret.kind else { continue };
        let name = &secret.name;
        let site = source.as_ref().map_or(&secret.prov, |s| &s.prov);
        let text = source.as_ref().and_then(Value::as_str).unwrap_or_default();
        let mut help = None;
        let message = match text.split_once('.') {
            _ if text.is_empty() => {
                format!("the secret `{name}` is an output of a module, but `source` does not say which")
            }
            None | Some(("", _) | (_, "")) => {
                format!("`{text}` is not a valid source for the secret `{name}`: it must have the form `module.field`")
            }
            // A failed stack may have a resource of that name.
            Some((module, _)) if !names.contains(module) && subject.is_whole => {
                help = crate::text::nearest(module, names.iter().copied()).map(|n| format!("did you mean `{n}`?"));
                format!("the secret `{name}` is an output of `{module}`, which does not exist")
            }
            Some(_) => continue,
        };
        let mut finding =
            Diagnostic::new(&rules::JIT_BAD_INFRA_OUTPUT_SOURCE, message, value_label(site, main, "")).token(&**name);
        finding.help = help;
        diagnostics.report(finding);
    }
}

/// Finds secrets whose names occur only where they are declared.
fn unused(subject: &Subject<'_>, main: FileId, diagnostics: &Diagnostics) {
    let names = Names::new(subject.config.secrets.iter().map(|secret| &*secret.name));
    let mut used: HashSet<&str> = HashSet::new();
    for loaded in subject.loaded {
        let origins = subject.config.secrets.iter().filter_map(|secret| secret.prov.origin);
        let declared =
            Extents::new(origins.filter(|o| o.file == loaded.file).map(|o| (o.start as usize, o.end as usize)));
        names.find_in(&loaded.text, |at, name| {
            if !declared.contain(at) {
                used.insert(name);
            }
        });
    }
    for secret in subject.config.secrets.iter().filter(|secret| !used.contains(&*secret.name)) {
        let message = format!("the secret `{}` is never used", secret.name);
        let label = value_label(&secret.prov, main, "");
        diagnostics.report(Diagnostic::new(&rules::JIT_UNUSED_SECRET, message, label).token(&*secret.name));
    }
}

/// Calls `f` for the texts in the maps of variables that look like secrets.
fn literals(value: &Value, preserved: bool, f: &mut impl FnMut(&Value, &str)) {
    match &value.data {
        Data::Str(text) if preserved => {
            if let Some(what) = secret_format(text) {
                f(value, what);
            }
        }
        Data::List(items) => items.iter().for_each(|v| literals(v, preserved, f)),
        Data::Map(map) if !map.is_mixed() => {
            for entry in map.iter() {
                literals(&entry.value, preserved || PRESERVED.contains(&&*entry.key), f);
            }
        }
        _ => {}
    }
}

/// Describes a text in the format of a known issuer's secret. Key names and randomness are not enough.
fn secret_format(text: &str) -> Option<&'static str> {
    let text = text.trim();
    let of = |set: fn(u8) -> bool, rest: &str, least: usize| rest.len() >= least && rest.bytes().all(set);
    let word: fn(u8) -> bool = |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let upper: fn(u8) -> bool = |b| b.is_ascii_uppercase() || b.is_ascii_digit();
    let prefixes: [(&str, usize, &'static str); 13] = [
        ("ghp_", 36, "a GitHub token"),
        ("gho_", 36, "a GitHub token"),
        ("ghs_", 36, "a GitHub token"),
        ("github_pat_", 36, "a GitHub token"),
        ("glpat-", 20, "a GitLab token"),
        ("xoxb-", 20, "a Slack token"),
        ("xoxp-", 20, "a Slack token"),
        ("sk_live_", 16, "a Stripe key"),
        ("rk_live_", 16, "a Stripe key"),
        ("dop_v1_", 40, "a DigitalOcean token"),
        ("npm_", 36, "an npm token"),
        ("AIza", 35, "a Google API key"),
        ("hvs.", 24, "a Vault token"),
    ];
    if text.starts_with("-----BEGIN ") && text.contains("PRIVATE KEY-----") {
        return Some("a private key");
    }
    for prefix in ["AKIA", "ASIA"] {
        if text.strip_prefix(prefix).is_some_and(|rest| rest.len() == 16 && of(upper, rest, 16)) {
            return Some("an AWS access key");
        }
    }
    let parts: Vec<&str> = text.split('.').collect();
    if parts.len() == 3 && parts[0].starts_with("eyJ") && parts.iter().all(|p| of(word, p, 16)) {
        return Some("a JSON web token");
    }
    let known = prefixes.iter().find(|(p, least, _)| text.strip_prefix(p).is_some_and(|rest| of(word, rest, *least)));
    known.map(|(_, _, what)| *what)
}

#[cfg(test)]
mod tests {
    use super::secret_format;

    #[test]
    fn forms_of_secrets() {
        let long = "a1".repeat(20);
        for text in [
            format!("ghp_{long}"),
            "AKIA0123456789ABCDEF".to_owned(),
            format!("eyJ{long}.{long}.{long}"),
            "-----BEGIN RSA PRIVATE KEY-----\nx\n".to_owned(),
        ] {
            assert!(secret_format(&text).is_some(), "{text}");
        }
        for text in ["", "AKIA", "AKIAlowercaseletters", "ghp_short", "postgres://user@host/db", "a.b.c", &long] {
            assert!(secret_format(text).is_none(), "{text}");
        }
    }
}
