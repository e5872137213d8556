//! Mistakes with locals, keys, and names of stacks.

use super::Planting;

pub(crate) const ALL: &[Planting] = &[
    ("duplicate-component", |p| {
        p.write(p.tree.twin, p.text(p.tree.manifest).to_owned());
        let path = ["components", "terraform", p.tree.vpc.0, "vars", "name"];
        p.set(p.tree.twin, &path, "twin");
        p.expect("");
    }),
    ("ineffective-metadata", |p| {
        p.top(&["metadata", "inherits"], "[planted]");
        p.expect("inherits: [planted]");
    }),
    ("invalid-local-name", |p| {
        p.imported("named", "locals:\n  bucket-name: x\nsettings:\n  planted: 1\n");
        p.expect("bucket-name");
    }),
    ("leaked-local", |p| {
        p.imported("owner", "locals:\n  leak: x\nsettings:\n  planted: '{{ .locals.leak }}'\n");
        p.vpc(&["vars", "name"], "'a-{{ .locals.leak }}'");
        p.expect("a-{{ .locals.leak }}");
    }),
    ("local-cycle", |p| {
        p.imported("circle", "locals:\n  a: '{{ .locals.b }}'\n  b: '{{ .locals.a }}'\n");
        p.expect("a: '{{ .locals.b }}'");
    }),
    ("local-needs-import", |p| {
        let low = p.shared("low", "settings:\n  tier: gold\n");
        let text = format!(
            "import:\n  - {low}\nlocals:\n  domain: '{{{{ .settings.tier }}}}.net'\nsettings:\n  planted: '{{{{ .locals.domain }}}}'\n"
        );
        p.imported("high", &text);
        p.expect("domain: '");
    }),
    ("non-mapping-section", |p| {
        p.component("planted", &["vars"], "[]");
        p.expect("vars: []");
    }),
    ("schema-violation", |p| {
        p.vpc(&["metadata", "inherit"], "[planted]");
        p.expect("inherit:");
    }),
    ("shadowed-local", |p| {
        p.imported(
            "scopes",
            "locals:\n  r: a\nterraform:\n  locals:\n    r: b\n  vars:\n    planted: '{{ .locals.r }}'\n",
        );
        p.expect("r: b");
    }),
    ("stack-name-collision", |p| {
        // Copied, and not called otherwise inside.
        p.write(p.tree.twin, p.text(p.tree.manifest).to_owned());
        p.expect("stage");
    }),
    ("stack-name-unresolved", |p| {
        p.write(p.tree.twin, "components:\n  terraform:\n    planted:\n      metadata:\n        component: planted\n");
        p.expect("");
    }),
    ("undefined-local", |p| {
        p.vpc(&["vars", "name"], "'{{ .locals.nope }}'");
        p.expect(".locals.nope");
    }),
    ("unknown-key", |p| {
        p.top(&["settngs", "planted"], "1");
        p.expect("settngs");
    }),
    ("unused-local", |p| {
        p.imported("idle", "locals:\n  idle: 1\nsettings:\n  planted: 1\n");
        p.expect("idle: 1");
    }),
];
