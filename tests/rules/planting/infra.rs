//! Mistakes in projects that are one file with its imports.

use super::Planting;
use super::plant::Plant;

pub(crate) const ALL: &[Planting] = &[
    ("jit-bad-infra-output-source", |p| {
        let secret = "  generate:\n    - {key: PLANTED, type: infra_output, source: nobody}\n";
        secrets(p, secret, "PLANTED");
        p.expect("source: nobody");
    }),
    ("jit-dollar-dollar", |p| variable(p, "$${user}-*")),
    ("jit-duplicate-resource", |p| {
        module(p, "planted", "infra.database", "size: one");
        module(p, "planted", "infra.database", "size: two");
        p.expect("name: planted");
    }),
    ("jit-env-silently-empty", |p| {
        module(p, "planted", "infra.container_service", "command: \"run $1\"");
        p.expect("run $1");
    }),
    ("jit-env-unset", |p| {
        p.write("stacklint.toml", "variables = ['IMAGE_TAG', 'LOG_LEVEL', 'DB_PASSWORD']\n");
        variable(p, "${LOG_LEVL}");
    }),
    ("jit-malformed-ref", |p| variable(p, "${.private_ip}")),
    ("jit-missing-depends-on", |p| {
        module(p, "target", "infra.database", "size: one");
        variable(p, "${target.host}");
    }),
    ("jit-module-skipped-in-env", |p| {
        module(p, "skipped", "infra.cache", "size: one");
        let with = format!("{}    environments: {{prod: null, staging: {{}}}}\n", p.text(p.tree.config));
        p.write(p.tree.config, with);
        module(
            p,
            "planted",
            "infra.container_service",
            "depends_on: [skipped]\n      env_vars: {CACHE: \"${skipped.url}\"}",
        );
        p.expect("${skipped.url}");
    }),
    ("jit-nested-ref", |p| variable(p, "${${STAGE}_HOST}")),
    ("jit-ref-blanked-by-env-expansion", |p| {
        module(p, "target", "infra.vpc", "cidr: 10.9.0.0/16");
        module(p, "planted", "infra.database", "depends_on: [target]\n      vpc_uuid: \"${target.id}\"");
        p.expect("${target.id}");
    }),
    ("jit-ref-in-key", |p| {
        module(p, "planted", "infra.container_service", "routes: {\"${HOST}/api\": backend}");
        p.expect("${HOST}/api");
    }),
    ("jit-secret-literal", |p| variable(p, "AKIAABCDEFGHIJKLMNOP")),
    ("jit-self-ref", |p| variable(p, "${planted.url}")),
    ("jit-unclosed-ref", |p| variable(p, "https://${HOST/path")),
    ("jit-unknown-module", |p| variable(p, "${nobody.host}")),
    ("jit-unused-secret", |p| {
        secrets(p, "  entries: [{name: OLD_TOKEN}]\n", "");
        p.expect("OLD_TOKEN");
    }),
    ("jit-whitespace-in-ref", |p| variable(p, "${ HOST }")),
];

/// Adds a module; `modules` is the last section of each of these files.
fn module(p: &mut Plant, name: &str, kind: &str, config: &str) {
    let text = format!("{}  - name: {name}\n    type: {kind}\n    config:\n      {config}\n", p.text(p.tree.config));
    p.write(p.tree.config, text);
}

/// Adds a module with a variable.
fn variable(p: &mut Plant, value: &str) {
    module(p, "planted", "infra.container_service", &format!("env_vars: {{PLANTED: \"{value}\"}}"));
    p.expect(value);
}

/// Adds secrets, and something that uses one of them.
fn secrets(p: &mut Plant, section: &str, used: &str) {
    let (text, is_there) = (p.text(p.tree.config).to_owned(), p.text(p.tree.config).contains("secrets:\n"));
    let text = match is_there {
        // One list more, or one item more where the list is there.
        true if section.contains("generate:") => text.replace("  generate:\n", section),
        true => text.replace("secrets:\n", &format!("secrets:\n{section}")),
        false => format!("secrets:\n{section}{text}"),
    };
    p.write(p.tree.config, text);
    if !used.is_empty() {
        module(p, "reader", "infra.database", &format!("env_vars: {{PASSWORD: \"${{{used}}}\"}}"));
    }
}
