//! What each stage of a run costs, on small inputs in memory: `cargo bench`, or `cargo bench -- resolve` for one of them.
//! Whole runs on large repositories are measured by `bench/measure.py`.

use divan::{Bencher, black_box};
use stacklint::dialects::Project;
use stacklint::diff;
use stacklint::files::Files;
use stacklint::report::{Format, Options, Report};
use stacklint::resolution::Resolution;
use stacklint::review::{self, Filter, NoHost, Overrides, Request, Resolved, Review, Workspace};
use stacklint::settings::Settings;
use stacklint::source::Memory;
use stacklint::template::{self, FunctionSet, MissingKey};
use stacklint::value::{Map, Value};
use stacklint::yaml;
use std::collections::BTreeMap;
use std::fmt::Write;

fn main() {
    divan::main();
}

const CONFIG: &str = "\
base_path: .
components: {terraform: {base_path: components/terraform}}
stacks: {base_path: stacks, included_paths: [\"deploy/**/*\"], name_template: \"{{ .vars.tenant }}-{{ .vars.stage }}\"}
templates: {settings: {enabled: true, sprig: {enabled: true}}}
";

/// A project of `stacks` stacks with `components` components each, all with an inherited default, a template and a call.
fn project(stacks: usize, components: usize, default: &str) -> Memory {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut add = |path: String, text: String| files.insert(path, text.into_bytes());
    add("atmos.yaml".to_owned(), CONFIG.to_owned());
    add("stacks/org.yaml".to_owned(), format!("vars:\n  namespace: acme\n  owner: {default}\n"));
    add(
        "stacks/base.yaml".to_owned(),
        manifest(1, |_| {
            "    base:\n      metadata: {type: abstract}\n      vars: {enabled: true, tags: {A: a, B: b}, sizes: [1, 2, 3]}\n".to_owned()
        }),
    );
    for i in 0..stacks {
        let head = format!("import: [org, base]\nvars: {{tenant: t{}, stage: s{i}}}\n", i % 4);
        let body = manifest(components, |c| {
            format!(
                "    c{c}:\n      metadata: {{component: c, inherits: [base]}}\n      vars:\n        name: \"{{{{ .vars.stage }}}}-c{c}\"\n        \
                 vpc: !terraform.state vpc id\n        tags: {{B: c{c}}}\n        sizes: [{c}]\n"
            )
        });
        add(format!("stacks/deploy/s{i}.yaml"), head + &body);
    }
    Memory::new("memory", files)
}

fn manifest(components: usize, one: impl Fn(usize) -> String) -> String {
    (0..components).fold("components:\n  terraform:\n".to_owned(), |all, i| all + &one(i))
}

/// A manifest in which `layers` imports set the same nested keys one after the other.
fn layered(layers: usize) -> Memory {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    files.insert("atmos.yaml".to_owned(), CONFIG.as_bytes().to_vec());
    let mut imports = String::from("import:\n");
    for i in 0..layers {
        let _ = writeln!(imports, "  - layers/l{i}");
        let mut text = String::from("vars:\n");
        for key in 0..50 {
            let _ = write!(text, "  k{key}:\n    a: {i}\n    l{i}: {{x: {i}, y: [{i}]}}\n");
        }
        files.insert(format!("stacks/layers/l{i}.yaml"), text.into_bytes());
    }
    let stack = imports + "vars: {tenant: t, stage: s}\ncomponents: {terraform: {c: {vars: {z: 1}}}}\n";
    files.insert("stacks/deploy/s.yaml".to_owned(), stack.into_bytes());
    Memory::new("memory", files)
}

/// The state of a project, resolved without findings.
fn resolve(source: &Memory, files: Files) -> Resolved {
    let project = Project::default();
    let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &NoHost };
    let resolved = review::resolve(source, &workspace, &Settings::default(), files);
    let resolved = resolved.unwrap_or_else(|_| panic!("there is a project"));
    let Resolution { units, findings, .. } = &resolved.resolution;
    assert!(!units.is_empty() && findings.is_empty(), "{findings:?}");
    resolved
}

#[divan::bench(args = [10, 1_000])]
fn yaml(bencher: Bencher<'_, '_>, components: usize) {
    let text = manifest(components, |c| format!("    c{c}:\n      vars: {{a: 1, b: [x, y], c: \"q\"}}\n"));
    bencher.counter(divan::counter::BytesCount::of_str(&text)).bench(|| yaml::parse(black_box(text.as_bytes())));
}

#[divan::bench]
fn template(bencher: Bencher<'_, '_>) {
    let functions = FunctionSet { sprig: true, gomplate: true, host: None };
    let options = template::Options { left: "{{", right: "}}", functions: &functions };
    let parsed = template::parse("{{ .vars.stage | upper }}-{{ if .vars.on }}{{ .vars.name }}{{ end }}", &options);
    let parsed = parsed.expect("a template");
    let vars =
        Map::from_iter([("stage", "dev"), ("on", "yes"), ("name", "web")].map(|(k, v)| (k.into(), Value::str(v))));
    let data = Value::map(Map::from_iter([("vars".into(), Value::map(vars))]));
    bencher.bench(|| parsed.execute(black_box(&data), MissingKey::Error, &functions));
}

#[divan::bench(args = [4, 64])]
fn merge(bencher: Bencher<'_, '_>, layers: usize) {
    let source = layered(layers);
    bencher.bench(|| resolve(black_box(&source), Files::default()));
}

#[divan::bench(args = [1, 20])]
fn resolving(bencher: Bencher<'_, '_>, stacks: usize) {
    let source = project(stacks, 50, "one");
    bencher.bench(|| resolve(black_box(&source), Files::default()));
}

#[divan::bench(args = [1, 20])]
fn comparing(bencher: Bencher<'_, '_>, stacks: usize) {
    let Resolved { files, resolution: base, dialects: _kept } = resolve(&project(stacks, 50, "one"), Files::default());
    let head = resolve(&project(stacks, 50, "two"), files);
    bencher.bench(|| {
        let options = diff::Options { filter: &|_| true, touched: None };
        let found = diff::diff(black_box(&base), black_box(&head.resolution), &head.files, &options);
        assert_eq!(found.components.len(), stacks * 50);
        found
    });
}

/// The review of two states of a project.
fn compare(base: &Memory, head: &Memory) -> Review {
    let (project, overrides) = (Project::default(), Overrides::default());
    let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &NoHost };
    let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
    review::compare(base, head, &workspace, &request).expect("both sides hold the project")
}

#[divan::bench(args = [1, 20])]
fn reviewing(bencher: Bencher<'_, '_>, stacks: usize) {
    let (one, two) = (project(stacks, 50, "one"), project(stacks, 50, "two"));
    bencher.bench(|| {
        let review = compare(black_box(&one), black_box(&two));
        assert_eq!(review.comparison.as_ref().map_or(0, |c| c.diff.components.len()), stacks * 50);
        review
    });
}

#[divan::bench(args = ["text", "json", "sarif", "markdown"])]
fn report(bencher: Bencher<'_, '_>, name: &str) {
    let (one, two) = (project(20, 50, "one"), project(20, 50, "two"));
    let review = compare(&one, &two);
    let report = Report::of(&review, None);
    let format = Format::ALL.into_iter().find(|f| f.name() == name).expect("a format");
    bencher.bench(|| {
        let mut out = Vec::new();
        format.write(&mut out, &report, &Options::default()).expect("memory takes it");
        out
    });
}
