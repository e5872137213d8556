//! Mistakes that only the difference of two states shows.

use super::Planting;
use super::components::reader;

pub(crate) const ALL: &[Planting] = &[
    ("backend-credentials-changed", |p| {
        p.component("planted", &["metadata", "component"], p.tree.vpc.1);
        p.component("planted", &["vars", "name"], "x");
        p.component("planted", &["backend_type"], "s3");
        p.component("planted", &["backend", "s3"], "{bucket: b, key: k, region: r, profile: ops}");
        p.commit();
        p.component("planted", &["backend", "s3"], "{bucket: b, key: k, region: r, profile: admin}");
        p.expect("profile: admin");
    }),
    ("base-already-broken", |p| {
        p.import("planted/nowhere");
        p.commit_and_revert();
        p.expect("planted/nowhere");
    }),
    ("became-abstract", |p| {
        p.commit();
        p.vpc(&["metadata", "type"], "abstract");
        p.expect("type: abstract");
    }),
    ("destroy-argument", |p| {
        p.vpc(&["env", "TF_CLI_ARGS_apply"], "-input=false");
        p.commit();
        p.vpc(&["env", "TF_CLI_ARGS_apply"], "-destroy");
        p.expect("-destroy");
    }),
    ("component-disabled", |p| {
        p.vpc(&["metadata", "enabled"], "true");
        p.commit();
        p.vpc(&["metadata", "enabled"], "false");
        p.expect("enabled: false");
    }),
    ("component-enabled", |p| {
        p.vpc(&["metadata", "enabled"], "false");
        p.commit();
        p.vpc(&["metadata", "enabled"], "true");
        p.expect("enabled: true");
    }),
    ("component-removed", |p| {
        p.component("planted", &["metadata", "component"], p.tree.vpc.1);
        p.component("planted", &["vars", "name"], "x");
        p.commit_and_revert();
        p.expect("planted:");
    }),
    ("component-renamed", |p| {
        p.component("planted", &["metadata", "component"], p.tree.vpc.1);
        p.component("planted", &["vars", "size"], "1");
        p.commit_and_revert();
        p.component("planted-anew", &["metadata", "component"], p.tree.vpc.1);
        p.component("planted-anew", &["vars", "size"], "1");
        p.expect("planted-anew:");
    }),
    ("dependency-dropped", |p| {
        reader(p, "planted", "vpc_id");
        let good = p.text(p.tree.manifest).to_owned();
        let needs = format!("[{{component: {}}}]", p.tree.vpc.0);
        p.component("planted", &["dependencies", "components"], &needs);
        p.commit();
        p.write(p.tree.manifest, good);
        p.expect("network: !terraform.state");
    }),
    ("edit-without-effect", |p| {
        p.imported("low", "terraform:\n  vars:\n    planted: 1\n");
        p.top(&["terraform", "vars", "planted"], "2");
        p.commit();
        p.shared("low", "terraform:\n  vars:\n    planted: 3\n");
        p.expect("planted: 3");
    }),
    ("locals-only-change", |p| {
        let text = |size: &str| format!("locals:\n  size: {size}\nsettings:\n  planted: 'x-{{{{ .locals.size }}}}'\n");
        p.imported("sized", &text("small"));
        p.commit();
        p.shared("sized", &text("large"));
        p.expect("size: large");
    }),
    ("locked-component-changed", |p| {
        p.vpc(&["metadata", "locked"], "true");
        p.commit();
        p.vpc(&["vars", "name"], "changed");
        p.expect("name: changed");
    }),
    ("major-version-changed", |p| {
        p.vpc(&["source"], "{uri: github.com/acme/vpc, version: 1.2.3}");
        p.commit();
        p.vpc(&["source"], "{uri: github.com/acme/vpc, version: 2.0.0}");
        p.expect("2.0.0");
    }),
    ("provider-or-version-widened", |p| {
        p.vpc(&["source"], "{uri: github.com/acme/vpc, version: 1.2.3}");
        p.commit();
        p.vpc(&["source"], "{uri: github.com/acme/vpc, version: '>= 1.2'}");
        p.expect(">= 1.2");
    }),
    ("source-changed", |p| {
        p.vpc(&["source"], "{uri: github.com/acme/vpc, version: 1.2.3}");
        p.commit();
        p.vpc(&["source"], "{uri: github.com/other/vpc, version: 1.2.3}");
        p.expect("other/vpc");
    }),
    ("stack-removed", |p| {
        p.commit();
        p.remove(p.tree.other);
        p.expect("");
    }),
    ("stack-renamed", |p| {
        p.commit();
        // All that a stack has of its name: its own stage, and links to itself.
        let (text, other) = (p.text(p.tree.other).to_owned(), ["prod", "live", "stage"]);
        let renamed = other.iter().fold(text, |text, old| {
            text.replace(&format!("stage: {old}\n"), "stage: planted\n").replace(&format!("-{old}\n"), "-planted\n")
        });
        p.write(p.tree.other, renamed);
        p.expect("stage: planted");
    }),
    ("state-address-changed", |p| {
        p.component("planted", &["metadata", "component"], p.tree.vpc.1);
        p.component("planted", &["vars", "name"], "x");
        p.component("planted", &["backend_type"], "s3");
        p.component("planted", &["backend", "s3"], "{bucket: here, key: k, region: r}");
        p.commit();
        p.component("planted", &["backend", "s3"], "{bucket: there, key: k, region: r}");
        p.expect("bucket: there");
    }),
    ("state-encryption-changed", |p| {
        p.component("planted", &["metadata", "component"], p.tree.vpc.1);
        p.component("planted", &["vars", "name"], "x");
        p.component("planted", &["backend_type"], "s3");
        p.component("planted", &["backend", "s3"], "{bucket: b, key: k, region: r, encrypt: true}");
        p.commit();
        p.component("planted", &["backend", "s3"], "{bucket: b, key: k, region: r, encrypt: false}");
        p.expect("encrypt: false");
    }),
    ("type-changed", |p| {
        p.vpc(&["vars", "planted"], "[a, b]");
        p.commit();
        p.vpc(&["vars", "planted"], "a,b");
        p.expect("planted: a,b");
    }),
    ("value-became-unknown", |p| {
        p.vpc(&["vars", "planted"], "Z123");
        p.commit();
        p.vpc(&["vars", "planted"], "!terraform.state dns zone_id");
        p.expect("dns zone_id");
    }),
    ("protected-stack-changed", |p| {
        p.write("stacklint.toml", "protected = ['*']\n");
        p.commit();
        p.vpc(&["vars", "name"], "changed");
        p.expect("name: changed");
    }),
    ("wide-blast-radius", |p| {
        p.write("stacklint.toml", "max-components = 0\n");
        p.commit();
        p.vpc(&["vars", "name"], "changed");
        p.expect("name: changed");
    }),
    ("version-downgraded", |p| {
        p.vpc(&["source"], "{uri: github.com/acme/vpc, version: 1.2.3}");
        p.commit();
        p.vpc(&["source"], "{uri: github.com/acme/vpc, version: 1.1.0}");
        p.expect("1.1.0");
    }),
];
