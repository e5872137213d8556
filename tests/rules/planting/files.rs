//! Mistakes in files, imports, the configuration and comments.

use super::Planting;
use super::plant::Plant;

pub(crate) const ALL: &[Planting] = &[
    ("broad-glob-import", |p| {
        for i in 0..25 {
            p.shared(&format!("deep/{i}"), &format!("settings:\n  planted_{i}: {i}\n"));
        }
        let item = format!("planted/**/*{}", p.tree.ending);
        p.import(&format!("\"{item}\""));
        p.expect(item);
    }),
    ("duplicate-import", |p| {
        p.imported("base", "settings:\n  planted: 1\n");
        let path = p.shared("more", "settings:\n  more: 1\n");
        p.import(&path);
        p.import(&format!("planted/base{}", p.tree.ending));
        p.expect("planted/base");
    }),
    ("duplicate-key", |p| {
        p.append("vars: {}\n");
        p.expect("vars: {}");
    }),
    ("extra-document", |p| {
        p.append("---\nvars: {}\n");
        p.expect("---");
    }),
    ("import-cycle", |p| {
        let ending = p.tree.ending;
        p.shared("b", &format!("import:\n  - planted/a{ending}\n"));
        p.imported("a", &format!("import:\n  - planted/b{ending}\n"));
        p.expect("planted/b");
    }),
    ("incomplete-analysis", |p| {
        p.import("git::https://example.com/stacks.git//catalog/vpc.yaml");
        p.expect("git::");
    }),
    ("invalid-config", |p| {
        p.set(p.tree.config, &["settings", "list_merge_strategy"], "concat");
        p.expect("concat");
    }),
    ("invalid-policy", |p| {
        p.write(
            "stacklint.toml",
            "[[require]]\nid = 'planted'\nthat = 'componet.stack != \"\"'\nmessage = 'planted'\n",
        );
        p.expect("that = ");
    }),
    ("invalid-vendor-manifest", |p| {
        vendor(p, "{component: planted, source: ./library}");
        p.expect("./library");
    }),
    ("invalid-yaml", |p| {
        p.append("planted: [a, b\nmore: 1\n");
        p.expect("");
    }),
    ("redundant-import", |p| {
        let low = p.shared("low", "settings:\n  planted: 1\n");
        p.import(&low);
        p.imported("high", &format!("import:\n  - {low}\nsettings:\n  more: 1\n"));
        p.expect("planted/low");
    }),
    ("templates-disabled", |p| {
        disable_templates(p);
        let name = p.tree.vpc.1;
        p.twin(&format!(
            "components:\n  terraform:\n    {name}:\n      vars:\n        name: '{{{{ .vars.stage }}}}-main'\n"
        ));
        p.expect(".vars.stage }}-main");
    }),
    ("undefined-command-target", |p| {
        let name = p.tree.vpc.1;
        workflow(p, &format!("terraform plan {name}planted"));
        p.expect(format!("terraform plan {name}planted"));
    }),
    ("undefined-workflow", |p| {
        workflow(p, "workflow plantd -f planted");
        p.expect("workflow plantd");
    }),
    ("unevaluable-import", |p| {
        disable_templates(p);
        p.twin("import:\n  - 'planted/{{ .vars.stage }}'\n");
        p.expect("planted/{{");
    }),
    ("unknown-rule", |p| {
        p.append("settings:\n  planted: 1 # stacklint: ignore[duplicate-kee] it is misspelt\n");
        p.expect("duplicate-kee");
    }),
    ("unreachable-file", |p| {
        p.shared("alone", "settings:\n  planted: 1\n");
        p.expect("settings:");
    }),
    ("unused-policy", |p| {
        let policy = "id = 'planted'\nwhere = 'component.stack == \"\"'\nthat = 'true'\nmessage = 'planted'\n";
        p.write("stacklint.toml", format!("[[require]]\n{policy}"));
        p.expect("id = 'planted'");
    }),
    ("unpinned-vendor-source", |p| {
        vendor(p, "{source: 'github.com/planted/x.git//y', targets: [library]}");
        p.expect("'github.com/planted/x.git//y'");
    }),
    ("unreadable-file", |p| {
        let path = p.below("planted/loop.yaml");
        p.link(path, "loop.yaml");
        p.import("planted/loop.yaml");
        p.expect("planted/loop.yaml");
    }),
    ("unresolved-import", |p| {
        p.import("planted/nowhere");
        p.expect("planted/nowhere");
    }),
    ("unresolved-include", |p| {
        p.vpc(&["vars", "name"], "!include nowhere.yaml");
        p.expect("nowhere.yaml");
    }),
    ("unused-ignore", |p| {
        p.append("settings:\n  planted: 1 # stacklint: ignore[duplicate-key] there is none\n");
        p.expect("duplicate-key");
    }),
    ("unused-import", |p| {
        p.imported("packer", "packer:\n  vars:\n    planted: 1\n");
        p.expect("planted/packer");
    }),
    ("unused-vendor-target", |p| {
        let config = p.text(p.tree.config);
        let root = config.split("terraform:").nth(1).unwrap().split("base_path: ").nth(1).unwrap();
        let target = format!("{}/planted", root.lines().next().unwrap());
        vendor(p, &format!("{{source: ./library, targets: [{target}]}}"));
        p.expect(target);
    }),
];

/// Takes templates away where nothing needs them.
fn disable_templates(p: &mut Plant) {
    p.set(p.tree.config, &["templates", "settings", "enabled"], "false");
}

/// A vendor manifest with one source.
fn vendor(p: &mut Plant, source: &str) {
    let config = p.tree.config;
    p.set(config, &["vendor", "base_path"], "planted.yaml");
    let folder = config.strip_suffix("atmos.yaml").unwrap();
    p.write(&format!("{folder}planted.yaml"), format!("spec:\n  sources:\n  - {source}\n"));
}

/// Adds a workflow with one step.
fn workflow(p: &mut Plant, command: &str) {
    let config = p.tree.config;
    p.set(config, &["workflows", "base_path"], "flows");
    let folder = config.strip_suffix("atmos.yaml").unwrap();
    p.write(
        &format!("{folder}flows/planted.yaml"),
        format!("workflows:\n  planted:\n    steps:\n    - command: {command}\n"),
    );
}
