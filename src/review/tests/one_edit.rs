//! A check after an edit of one value reports what a check by itself reports, whether or not it is made from the check before.

use super::cached::{Inputs, Shelf, inputs, with_and_without};
use super::*;
use crate::yaml::{NodeKind, document_of};
use std::collections::BTreeSet;

/// Eight stacks of two stages of four regions. Values are set, repeated and overridden in defaults, catalogs, mixins and stacks; some
/// are read by templates, some have types.
fn regions() -> Texts {
    let mut files: Texts = BTreeMap::new();
    let mut add = |path: &str, text: &str| files.insert(path.to_owned(), text.to_owned());
    add(
        "atmos.yaml",
        "base_path: .\nstacks: {base_path: stacks, included_paths: ['deploy/**/*'], name_pattern: '{environment}-{stage}'}\n\
         components: {terraform: {base_path: components/terraform}}\ntemplates: {settings: {enabled: true}}\n",
    );
    add("stacks/_defaults.yaml", "vars:\n  namespace: acme\n  size: 1\n  zones: [a, b, c]\n  label: x\n  read: r\n");
    add(
        "stacks/catalog/net.yaml",
        "components:\n  terraform:\n    base: {metadata: {type: abstract}, vars: {size: 2, cidr: 10.0.0.0/8, name: base}}\n    \
         net: {metadata: {inherits: [base], component: net}, vars: {size: 2, label: x}}\n",
    );
    add(
        "stacks/catalog/app.yaml",
        "components:\n  terraform:\n    app:\n      metadata: {component: net}\n      vars: {size: 3, name: \"app-{{ .vars.read }}\"}\n      \
         settings: {depends_on: {1: {component: net}}}\n",
    );
    for region in ["east", "west", "north", "south"] {
        add(
            &format!("stacks/mixins/{region}.yaml"),
            &format!(
                "import: [_defaults]\nvars:\n  environment: {region}\n  size: 1\n  label: {region}\n  zones: [a, b]\n  note: 1\n"
            ),
        );
        for stage in ["dev", "prod"] {
            // Locals become known when the file is read, and only there.
            let (import, locals, name) = match region {
                "west" => ("", "locals: {zone: z1, unused: 1}\n", "n-{{ .locals.zone }}"),
                _ => (", catalog/app", "", "net"),
            };
            add(
                &format!("stacks/deploy/{region}-{stage}.yaml"),
                &format!(
                    "import: [mixins/{region}, catalog/net{import}]\n{locals}vars:\n  environment: {region}\n  stage: {stage}\n  \
                     label: {region} # stacklint: ignore[redundant-override]\ncomponents:\n  terraform:\n    net:\n      \
                     vars:\n        size: 2\n        name: \"{name}\"\n        wrong: 1\n        flag: true\n        label: y\n"
                ),
            );
        }
    }
    add(
        "components/terraform/net/main.tf",
        "variable \"size\" {\n  type = number\n}\nvariable \"name\" {}\nvariable \"cidr\" {}\nvariable \"label\" {\n  type = string\n}\n\
         variable \"flag\" {\n  type = bool\n}\n",
    );
    files
}

/// States that are checked one after the other. The contents of all files are stored.
struct History {
    shelf: Arc<Shelf>,
    files: Texts,
    contents: BTreeSet<String>,
}

impl History {
    fn new(files: Texts) -> Self {
        let mut history = History { shelf: Arc::default(), files, contents: BTreeSet::new() };
        let (_, report) = history.check(&inputs());
        assert!(!report.contains("does not resolve"), "{report}");
        history
    }

    /// Returns a history that goes on from here by itself.
    fn fork(&self) -> Self {
        History { shelf: Arc::new(self.shelf.copy()), files: self.files.clone(), contents: self.contents.clone() }
    }

    /// Checks the state with what is kept and by itself; returns whether it was made from what is kept, and the report.
    fn check(&mut self, inputs: &Inputs) -> (bool, String) {
        self.contents.extend(self.files.values().cloned());
        let contents: Vec<&[u8]> = self.contents.iter().map(|text| text.as_bytes()).collect();
        let source = source("state", &self.files).storing(&contents);
        self.shelf.hits();
        let [kept, fresh] = with_and_without(&self.shelf, &source, inputs);
        let differing = kept.lines().zip(fresh.lines()).find(|(kept, fresh)| kept != fresh);
        assert!(kept == fresh, "{differing:?}");
        (self.shelf.hits() > 0, fresh)
    }

    /// Replaces text that a file contains once, and checks.
    fn edit(&mut self, path: &str, from: &str, to: &str) -> (bool, String) {
        let text = self.files.get_mut(path).expect("a file");
        assert_eq!(text.matches(from).count(), 1, "{from} in {path}");
        *text = text.replace(from, to);
        self.check(&inputs())
    }
}

const STACK: &str = "stacks/deploy/east-dev.yaml";
const MIXIN: &str = "stacks/mixins/east.yaml";

#[test]
fn the_value_of_a_variable_that_nothing_reads_is_edited() {
    let mut history = History::new(regions());
    // The places of all findings behind it move.
    assert!(history.edit(STACK, "wrong: 1", "wrong: 1000").0);
    assert!(history.edit(STACK, "wrong: 1000", "wrong: 7").0);
    assert!(history.edit(STACK, "flag: true", "flag: false").0);
    // Two stacks read this one.
    let (is_known, report) = history.edit(MIXIN, "note: 1", "note: 2");
    assert!(is_known && report.contains("undeclared-variable"), "{report}");
    // A state that was checked before is found as such.
    assert!(history.edit(MIXIN, "note: 2", "note: 1").0);
    assert!(history.check(&inputs()).0);
}

#[test]
fn an_edit_that_changes_what_is_found_is_checked_anew() {
    let edits = [
        ("another type", STACK, "flag: true", "flag: 1"),
        ("it no longer repeats what it overrides", STACK, "size: 2", "size: 4"),
        ("it is overridden by an equal value", MIXIN, "label: east", "label: x"),
        ("another item is lost", MIXIN, "zones: [a, b]", "zones: [a, e]"),
        ("a template reads it", "stacks/_defaults.yaml", "read: r", "read: s"),
        ("a local", "stacks/deploy/west-dev.yaml", "zone: z1", "zone: z2"),
        ("the name of the stack", STACK, "stage: dev", "stage: test"),
        ("a link", "stacks/catalog/app.yaml", "component: net}}", "component: nut}}"),
        ("an import", STACK, "catalog/app", "catalog/gone"),
        ("a template", STACK, "wrong: 1", "wrong: '{{ .vars.read }}'"),
        ("a function", STACK, "wrong: 1", "wrong: '!env X'"),
        ("a comment", STACK, "wrong: 1", "wrong: 2 # why"),
        ("a comment that silences", STACK, "wrong: 1", "wrong: 1 # stacklint: ignore[undeclared-variable]"),
        ("a key", STACK, "wrong: 1", "wring: 1"),
        ("another value", STACK, "wrong: 1", "wrong: 1\n        more: 1"),
        ("code", "components/terraform/net/main.tf", "type = bool", "type = string"),
        ("configuration", "atmos.yaml", "{enabled: true}", "{enabled: false}"),
    ];
    let first = History::new(regions());
    for (what, path, from, to) in edits {
        assert!(!first.fork().edit(path, from, to).0, "{what}");
    }
}

#[test]
fn a_policy_may_ask_for_any_value() {
    let mut files = regions();
    let policy = "[[require]]\nid = 'small'\nthat = 'component.vars.size < 4'\nmessage = 'too large'\n";
    files.insert("stacklint.toml".to_owned(), policy.to_owned());
    let mut history = History::new(files);
    assert!(!history.edit(STACK, "wrong: 1", "wrong: 2").0);
}

#[test]
fn values_of_manifests_that_define_one_stack_are_compared() {
    let mut files = regions();
    let copy = files[STACK].clone();
    files.insert("stacks/deploy/more.yaml".to_owned(), copy);
    let mut history = History::new(files);
    let (is_known, report) = history.edit(STACK, "flag: true", "flag: false");
    assert!(!is_known && report.contains("duplicate-component"), "{report}");
    assert!(history.edit("stacks/deploy/north-dev.yaml", "flag: true", "flag: false").0, "another stack");
}

#[test]
fn more_than_one_file_differs() {
    let mut history = History::new(regions());
    let edited = history.files[STACK].replace("wrong: 1", "wrong: 2");
    history.files.insert(STACK.to_owned(), edited);
    assert!(!history.edit(MIXIN, "size: 1", "size: 5").0);
}

#[test]
fn the_content_before_is_not_stored() {
    let mut history = History::new(regions());
    history.contents.clear();
    assert!(!history.edit(STACK, "wrong: 1", "wrong: 2").0);
}

#[test]
fn a_state_that_is_checked_again_and_again_is_remembered() {
    let mut history = History::new(regions());
    for size in 2..7 {
        let edited = format!("wrong: {size}");
        assert!(history.edit(STACK, "wrong: 1", &edited).0, "{size}");
        assert!(history.edit(STACK, &edited, "wrong: 1").0);
        assert!(history.edit(MIXIN, "note: 1", &format!("note: {size}")).0, "{size}");
        assert!(history.edit(MIXIN, &format!("note: {size}"), "note: 1").0);
    }
}

#[test]
fn an_edit_that_many_units_read_is_checked_anew() {
    let mut history = History::new(regions());
    assert!(!history.edit("stacks/_defaults.yaml", "label: x", "label: z").0);
}

#[test]
fn stacks_that_only_validation_gives_one_name_are_compared() {
    let mut history = History::new(regions());
    // It is no text, so stacks are listed by their manifests; validation takes it as the name of all.
    history.edit("atmos.yaml", "'{environment}-{stage}'", "2");
    let (is_kept, report) = history.edit("stacks/deploy/north-prod.yaml", "name: \"net\"", "name: dev");
    assert!(!is_kept);
    assert!(report.contains("is configured differently by"), "{report}");
}

#[test]
fn a_damaged_entry_is_a_miss() {
    let mut history = History::new(regions());
    history
        .shelf
        .entries
        .lock()
        .iter_mut()
        .filter(|(key, _)| key.ends_with("-state"))
        .for_each(|(_, bytes)| bytes.clear());
    history.edit(STACK, "wrong: 1", "wrong: 2");
    assert!(history.edit(STACK, "wrong: 2", "wrong: 3").0);
}

/// A scalar that replaces another one.
const SCALARS: [&str; 14] =
    ["1", "2", "3", "true", "a", "x", "east", "'1'", "'{{ .vars.size }}'", "net", "base", "dev", "[a]", "''"];

/// Replaces the value of a key, or the item of a list.
fn replace(files: &mut Texts, file: Index, scalar: Index, with: &str) {
    let path = files.keys().filter(|path| path.ends_with(".yaml")).nth(file.index(10)).cloned().unwrap_or_default();
    let Some(text) = files.get_mut(&path) else { return };
    let Ok(document) = document_of(text.as_str().into()) else { return };
    let pairs = document.nodes().filter_map(|(_, node)| match &node.kind {
        NodeKind::Mapping(pairs) => Some(pairs),
        _ => None,
    });
    let keys: BTreeSet<_> = pairs.flatten().map(|(key, _)| *key).collect();
    let is_value =
        |(id, node): &(_, &crate::yaml::Node)| matches!(node.kind, NodeKind::Scalar { .. }) && !keys.contains(id);
    let spans: Vec<_> = document.nodes().filter(is_value).map(|(_, node)| node.span).collect();
    if let Some(span) = spans.get(scalar.index(spans.len().max(1))) {
        text.replace_range(span.start as usize..span.end as usize, with);
    }
}

proptest! {
    #![proptest_config(crate::fuzz::cases(8))]

    #[test]
    fn edited_values_change_no_report(
        edits in prop::collection::vec((any::<Index>(), any::<Index>(), select(&SCALARS[..]), any::<bool>()), 1..6),
    ) {
        let mut history = History::new(regions());
        for (file, scalar, with, is_undone) in edits {
            let before = history.files.clone();
            replace(&mut history.files, file, scalar, with);
            history.check(&inputs());
            if is_undone {
                history.files = before;
            }
        }
    }
}
