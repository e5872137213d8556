//! The core knows no system: no name of one, of its sections, functions or files, outside of `dialects/`. Neither do the crates.

use crate::{packages, sources};
use regex::Regex;
use std::collections::BTreeSet;

/// Modules that may name systems: dialects, and what prints about all of them.
const OUTSIDE: [&str; 4] = ["", "cli", "dialects", "lsp"];

/// Names of systems, of their files, functions and commands.
const NAMES: &str =
    r#"(?i)atmos|jitsubst|garden|opentofu|terragrunt|gocodealone|"infra\.yaml|project\.garden|\btofu\b|"terraform""#;

/// Paths of sections, and functions that are tags.
const SECTIONS: &str = concat!(
    r#""/(backend|metadata|vars|settings|env|workspace)\b|remote_state_backend|component_info"#,
    r#"|"!(append|aws|cwd|env|exec|include|repo-root|secret|store|template|terraform|unset)\b"#,
);

/// Names of sections of manifests, of their components, and of actions and projects, that stand for nothing else.
const SECTIONS_OF_MANIFESTS: &str = concat!(
    r#""(ansible|apiVersion|backend_type|copyFrom|dotIgnoreFiles|generate|helmfile|inherits|manifests|metadata|packer"#,
    r#"|plugins|provision|remote_state_backend_type|validate|vars|varfiles)""#,
);

/// Those that are also ordinary words. Rules have no use for them as text.
const SECTIONS_IN_RULES: &str = concat!(
    r#""(actions|auth|backend|command|dependencies|env|environments|exclude|helm|hooks|imports?|include|kubernetes|locals"#,
    r#"|modules|outputs|overrides|paths|providers?|render|repositories|required_providers|required_version|retry|schemas"#,
    r#"|secrets|settings|source|spec|tasks|templates|uri|variables|workflows)""#,
);

/// Lines that hold such a word for a reason.
const ALLOWED: [(&str, &str); 15] = [
    // Code of Terraform and OpenTofu is read by one module; files with this ending are for one of them alone.
    ("terraform/", ".tofu"),
    ("terraform/", "OpenTofu"),
    ("terraform/", "registry.opentofu.org"),
    // Files beside code that configure it from outside.
    ("terraform/load/names.rs", "AROUND"),
    // The rules about that code.
    ("terraform/rules.rs", "\"tofu-"),
    ("syntax/", ".tofu"),
    // Folders of a worktree that tools fill, and git does not track.
    ("source/walk.rs", "WORKING_COPY"),
    // A block of that language.
    ("terraform/", "\"terraform\""),
    ("terraform/module/reader.rs", "get(\"opentofu\")"),
    // Functions of tags whose arguments are no secrets.
    ("syntax/secrets/keys.rs", "\"terraform\""),
    // `describe affected` prints the sections and fields of the one system that has the command.
    ("report/jobs/affected.rs", ""),
    // The file of another tool has a field for units of this system.
    ("report/jobs/digger.rs", "terragrunt"),
    // The type of a component of a case that names none.
    ("policies/cases.rs", "text(\"type\","),
    // The data of a template that is measured.
    ("testing.rs", "\"vars\""),
    // Examples in the descriptions of the fields.
    ("value/vocabulary.rs", "///"),
];

#[test]
fn the_core_holds_no_words_of_a_system() {
    let words = [NAMES, SECTIONS, SECTIONS_OF_MANIFESTS].map(|words| Regex::new(words).unwrap());
    let in_rules = Regex::new(SECTIONS_IN_RULES).unwrap();
    let mut found = Vec::new();
    let packages = packages();
    let all = packages.iter().flat_map(|(folder, sources)| sources.iter().map(move |source| (folder.as_str(), source)));
    for (folder, source) in all.filter(|(folder, source)| *folder != "src" || !OUTSIDE.contains(&source.module())) {
        for (i, line) in source.text.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            let is_allowed = folder == "src"
                && ALLOWED.iter().any(|(path, text)| source.path.starts_with(path) && line.contains(text));
            let is_in_rule = folder == "src" && source.module() == "rules" && in_rules.is_match(line);
            if !is_comment && !is_allowed && (is_in_rule || words.iter().any(|word| word.is_match(line))) {
                found.push(format!("{folder}/{}:{}: {}", source.path, i + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "words of one system belong into its folder below src/dialects:\n{}", found.join("\n"));
}

#[test]
fn ids_of_rules_are_declared_once() {
    let declared = Regex::new(r#"(?s)\brule!\(\s*\w+,\s*"([a-z-]+)""#).unwrap();
    let sources = sources();
    let ids: BTreeSet<String> = sources
        .iter()
        .flat_map(|source| declared.captures_iter(&source.text).map(|c| c[1].to_owned()).collect::<Vec<_>>())
        .collect();
    assert!(ids.len() > 90);
    let mut found = Vec::new();
    for source in &sources {
        let rest = declared.replace_all(&source.text, "");
        // What stands between two quotes.
        let texts: Vec<&str> = rest.split('"').skip(1).collect();
        let named = texts.iter().take(texts.len().saturating_sub(1)).filter(|text| ids.contains(**text));
        found.extend(named.map(|id| format!("src/{} holds the id `{id}` as text", source.path)));
    }
    assert!(found.is_empty(), "refer to the rule instead:\n{}", found.join("\n"));
}
