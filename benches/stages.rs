//! The cost of each stage of a run, on small inputs in memory: `cargo bench`, or `cargo bench -- resolve` for one of
//! them. Whole runs on large repositories are measured by `bench/measure.py`.

use divan::{Bencher, black_box};
use stacklint::testing::{Repository, ResolvedPair, Review, Template, parse_yaml};
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
fn project(stacks: usize, components: usize, default: &str) -> Repository {
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
    Repository::new(files)
}

fn manifest(components: usize, one: impl Fn(usize) -> String) -> String {
    (0..components).fold("components:\n  terraform:\n".to_owned(), |all, i| all + &one(i))
}

/// A manifest in which `layers` imports set the same nested keys one after the other.
fn layered(layers: usize) -> Repository {
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
    Repository::new(files)
}

#[divan::bench(args = [10, 1_000])]
fn yaml(bencher: Bencher<'_, '_>, components: usize) {
    let text = manifest(components, |c| format!("    c{c}:\n      vars: {{a: 1, b: [x, y], c: \"q\"}}\n"));
    bencher.counter(divan::counter::BytesCount::of_str(&text)).bench(|| parse_yaml(black_box(text.as_bytes())));
}

#[divan::bench]
fn template(bencher: Bencher<'_, '_>) {
    let text = "{{ .vars.stage | upper }}-{{ if .vars.on }}{{ .vars.name }}{{ end }}";
    let template = Template::parse(text).expect("a template");
    bencher.bench(|| template.render(black_box(&[("stage", "dev"), ("on", "yes"), ("name", "web")])));
}

#[divan::bench(args = [4, 64])]
fn merge(bencher: Bencher<'_, '_>, layers: usize) {
    let source = layered(layers);
    bencher.bench(|| black_box(&source).resolve());
}

#[divan::bench(args = [1, 20])]
fn resolving(bencher: Bencher<'_, '_>, stacks: usize) {
    let source = project(stacks, 50, "one");
    bencher.bench(|| black_box(&source).resolve());
}

#[divan::bench(args = [1, 20])]
fn comparing(bencher: Bencher<'_, '_>, stacks: usize) {
    let pair = ResolvedPair::of(&project(stacks, 50, "one"), &project(stacks, 50, "two"));
    bencher.bench(|| assert_eq!(black_box(&pair).compare(), stacks * 50));
}

#[divan::bench(args = [1, 20])]
fn reviewing(bencher: Bencher<'_, '_>, stacks: usize) {
    let (one, two) = (project(stacks, 50, "one"), project(stacks, 50, "two"));
    bencher.bench(|| {
        let review = Review::of(black_box(&one), black_box(&two));
        assert_eq!(review.changed_components(), stacks * 50);
        review
    });
}

#[divan::bench(args = ["text", "json", "sarif", "markdown"])]
fn report(bencher: Bencher<'_, '_>, name: &str) {
    let review = Review::of(&project(20, 50, "one"), &project(20, 50, "two"));
    bencher.bench(|| review.report(name));
}
