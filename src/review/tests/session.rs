//! Reviews of a session find what reviews by themselves find, and keep what an edit does not reach.

use super::*;
use crate::review::session::MAX_VERSIONS;
use crate::text::Text;

/// A project with dependencies between files: locals that others read, a base that inherits from itself, a manifest
/// that no stack uses, a template of a file, a schema, code and a workflow.
pub(super) fn entangled() -> Texts {
    let mut files = project();
    let more = [
        (
            "stacks/catalog/loop.yaml",
            "components:\n  terraform:\n    a: {metadata: {inherits: [b]}}\n    b: {metadata: {inherits: [a]}}\n",
        ),
        ("stacks/catalog/shared.yaml", "locals: {unused: 1, name: shared}\nvars: {common: '{{ .locals.name }}'}\n"),
        ("stacks/catalog/unreached.yaml", "import: [catalog/shared, catalog/gone]\nvars: {x: '{{ .locals.name }}'}\n"),
        (
            "stacks/catalog/queue.yaml.tmpl",
            "components:\n  terraform:\n    queue-{{ .n }}: {vars: {n: {{ .n }}, size: !env SIZE}}\n",
        ),
        (
            "stacks/deploy/edge.yaml",
            "import:\n  - catalog/shared\n  - catalog/loop\n  - path: catalog/queue.yaml.tmpl\n    context: {n: 1}\nvars: {stage: edge}\n\
                                     components:\n  terraform:\n    box:\n      metadata: {component: code}\n      vars: {size: [1], typo: 1, from: !terraform.state net dev .id}\n\
                                     \x20     settings: {validation: {size: {schema_type: jsonschema, schema_path: size.json}}, depends_on: {1: {component: queue-2}}}\n",
        ),
        ("size.json", "{\"properties\": {\"vars\": {\"required\": [\"zone\"]}}}"),
        ("components/terraform/code/main.tf", "variable \"size\" {\n  type = number\n}\n"),
        (
            "stacks/workflows/w.yaml",
            "workflows:\n  w:\n    steps:\n      - {command: terraform plan box -s nowhere, type: atmos}\n",
        ),
    ];
    files.extend(more.map(|(path, text)| (path.to_owned(), text.to_owned())));
    files
}

/// Returns the findings of a session and of a single review for a state.
fn in_both_ways(session: &Session, files: &Texts) -> [String; 2] {
    let (project, overrides) = (Project::default(), Overrides { groups: Group::ALL.to_vec(), ..Overrides::default() });
    let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &NoHost };
    let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
    let shown = |review: Result<Review, Error>| match review {
        Ok(review) => {
            let values = review.heads().into_iter().flat_map(|resolution| resolution.components());
            let values = values.map(|(address, placed)| {
                let value = serde_json::to_string(&placed.component.value).unwrap_or_default();
                format!("{address:?} {value}\n")
            });
            written(Format::Json, &review) + &values.collect::<String>()
        }
        Err(error) => format!("{error:?}"),
    };
    let source = source("worktree", files);
    [check_again(session, &source, &workspace, &request), check(&source, &workspace, &request)].map(shown)
}

#[test]
fn a_session_forgets_what_an_edit_reaches_and_nothing_else() {
    let (session, mut files) = (Session::default(), entangled());
    let mut check = |edit: &str, path: &str, text: Option<&str>| {
        match text {
            Some(text) => files.insert(path.to_owned(), text.to_owned()),
            None => files.remove(path),
        };
        let [kept, fresh] = in_both_ways(&session, &files);
        assert_eq!(kept, fresh, "{edit}");
        kept
    };
    let whole = entangled();
    let first = check("nothing", "size.json", Some(&whole["size.json"]));
    for id in
        ["unresolved-import", "variable-type-mismatch", "undeclared-variable", "unused-local", "component-validation"]
    {
        assert!(first.contains(id), "{id}: {first}");
    }
    check(
        "a stack imports another file",
        "stacks/deploy/edge.yaml",
        Some("import: [catalog/net]\nvars: {stage: edge}\n"),
    );
    check("and back", "stacks/deploy/edge.yaml", Some(&whole["stacks/deploy/edge.yaml"]));
    check("a shared file breaks", "stacks/catalog/net.yaml", Some("components: [\n"));
    check("and is repaired", "stacks/catalog/net.yaml", Some(&whole["stacks/catalog/net.yaml"]));
    check("a schema is gone", "size.json", None);
    check("code declares another variable", "components/terraform/code/main.tf", Some("variable \"typo\" {}\n"));
    check("a file that was missing comes", "stacks/catalog/gone.yaml", Some("vars: {y: 1}\n"));
    check("a file with a similar name is gone", "stacks/catalog/gone.yaml", None);
    check(
        "the import of a file is misspelled",
        "stacks/deploy/edge.yaml",
        Some("import: [catalog/gome]\nvars: {stage: edge}\n"),
    );
    check("a file with a similar name comes", "stacks/catalog/gone.yaml", Some("vars: {y: 1}\n"));
    check("and back again", "stacks/deploy/edge.yaml", Some(&whole["stacks/deploy/edge.yaml"]));
    check("settings change", "stacklint.toml", Some("[rules]\nunused-local = 'off'\n"));
    let edited = whole["atmos.yaml"].replace("{stage}", "{stage}-{stage}");
    assert!(!check("the configuration changes", "atmos.yaml", Some(&edited)).contains("unused-local"));
}

/// Cancels a review when its rules have been run.
struct CancelAfterRules(crate::threads::Cancel);

impl Host for CancelAfterRules {
    fn end(&self, phase: &'static str) {
        if phase == "rules" {
            self.0.cancel();
        }
    }
}

/// Begins a review that is canceled when the rules of a project have been run.
fn cancel_after_rules(session: &Session, files: &Texts) -> Result<Review, Error> {
    let cancel = crate::threads::Cancel::new();
    let host = CancelAfterRules(cancel.clone());
    let overrides = Overrides { groups: Group::ALL.to_vec(), ..Overrides::default() };
    let project = Project { cancel, ..Project::default() };
    let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &host };
    let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
    check_again(session, &source("worktree", files), &workspace, &request)
}

#[test]
fn findings_of_a_canceled_review_are_not_those_of_the_last_state() {
    let (session, files) = (Session::default(), entangled());
    in_both_ways(&session, &files);
    let mut edited = files.clone();
    edited.insert("components/terraform/code/main.tf".to_owned(), "variable \"size\" {}\n".to_owned());
    assert!(matches!(cancel_after_rules(&session, &edited), Err(Error::Canceled)));
    let [kept, fresh] = in_both_ways(&session, &files);
    assert!(fresh.contains("variable-type-mismatch"));
    assert_eq!(kept, fresh);
}

#[test]
fn a_review_after_a_canceled_one_sees_that_its_edit_was_undone() {
    let (session, files) = (Session::default(), entangled());
    in_both_ways(&session, &files);
    let mut edited = files.clone();
    edited.insert("size.json".to_owned(), "{}".to_owned());
    assert!(matches!(cancel_after_rules(&session, &edited), Err(Error::Canceled)));
    let [kept, fresh] = in_both_ways(&session, &files);
    assert!(fresh.contains("component-validation"));
    assert_eq!(kept, fresh);
}

#[test]
fn a_session_keeps_one_version_of_each_file() {
    let (session, mut files) = (Session::default(), entangled());
    let path = "stacks/deploy/dev.yaml";
    let mut versions = Vec::new();
    for edit in 0..2 * MAX_VERSIONS {
        files.insert(path.to_owned(), format!("{}# {edit}\n", entangled()[path]));
        in_both_ways(&session, &files);
        versions.extend(session.texts(path).into_iter().filter(|text| !versions.contains(text)).collect::<Vec<_>>());
    }
    assert_eq!(versions.len(), 2 * MAX_VERSIONS);
    assert_eq!(session.texts(path), [Text::from(files[path].as_str())]);
}

#[test]
fn a_canceled_review_leaves_the_session_as_it_was() {
    let (session, mut files) = (Session::default(), entangled());
    in_both_ways(&session, &files);
    files.insert("stacks/catalog/net.yaml".to_owned(), "vars: {all: new}\n".to_owned());
    let cancel = crate::threads::Cancel::new();
    cancel.cancel();
    let (project, overrides) = (Project { cancel, ..Project::default() }, Overrides::default());
    let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &NoHost };
    let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
    let canceled = check_again(&session, &source("worktree", &files), &workspace, &request);
    assert!(matches!(canceled, Err(Error::Canceled)));
    let [kept, fresh] = in_both_ways(&session, &files);
    assert_eq!(kept, fresh);
}

#[test]
fn a_version_that_was_dropped_while_the_configuration_was_unusable_is_read_again() {
    let (session, files) = (Session::default(), entangled());
    let mut broken = files.clone();
    broken.insert("atmos.yaml".to_owned(), String::new());
    // Each state is the last one before earlier versions are dropped.
    for _ in 0..MAX_VERSIONS {
        for state in [&files, &broken, &files, &files] {
            let [kept, fresh] = in_both_ways(&session, state);
            assert_eq!(kept, fresh);
        }
        in_both_ways(&session, &files);
    }
}

/// An edit of the project of [`entangled`].
#[derive(Clone, Debug)]
pub(super) enum Edit {
    Damaged(Index, Damage),
    /// Lines that are added to a stack, below its components.
    Extended(Index, &'static str),
    /// A file that gets this text, or that is deleted.
    Written(&'static str, Option<&'static str>),
}

impl Edit {
    pub(super) fn apply(&self, files: &mut Texts) {
        match self {
            Edit::Damaged(file, damage) => apply(files, *file, damage),
            Edit::Extended(file, lines) => {
                let stacks = files.iter_mut().filter(|(path, _)| path.starts_with("stacks/deploy/"));
                let mut stacks: Vec<&mut String> = stacks.map(|(_, text)| text).collect();
                if !stacks.is_empty() {
                    file.get_mut(&mut stacks).push_str(lines);
                }
            }
            Edit::Written(path, Some(text)) => drop(files.insert((*path).to_owned(), (*text).to_owned())),
            Edit::Written(path, None) => drop(files.remove(*path)),
        }
    }
}

pub(super) fn edit() -> impl Strategy<Value = Edit> {
    let lines = [
        "    other: {settings: {depends_on: {1: {component: box}}}}\n",
        "    other: {settings: {depends_on: {1: {component: other}}}}\n",
        "    other: {metadata: {type: abstract}}\n",
        "    net: {metadata: {enabled: false}}\n",
        "    other: {metadata: {component: code}, vars: {size: 1}}\n",
        "    other: {metadata: {component: code}, vars: {sise: 1, password: 'kJ8sd7fK2mQ9'}}\n",
        "    other: {metadata: {component: gone}, vars: {version: 1.10}}\n",
        "    other: {vars: {x: !terraform.output net .id, y: !terraform.state code edge .size}}\n",
        "    code: {vars: {z: 'a !env B'}}\n",
        "# a comment\n",
    ];
    let written = [
        ("stacklint.toml", Some("[rules]\nundeclared-variable = 'off'\n")),
        ("stacklint.toml", Some("[rules]\nmissing-required-variable = 'off'\nundefined-dependency = 'off'\n")),
        ("stacklint.toml", None),
        ("components/terraform/code/main.tf", Some("variable \"size\" {}\noutput \"id\" {\n  value = 1\n}\n")),
        ("components/terraform/code/main.tf", Some("variable {\n")),
        ("components/terraform/code/main.tf", None),
        ("components/terraform/box/main.tf", Some("variable \"stage\" {}\nvariable \"zone\" {}\n")),
        ("components/terraform/box/main.tf", Some("variable \"size\" {\n")),
        ("components/terraform/box/notes.yaml", Some("TF_VAR_zone: 1\n")),
        ("components/terraform/box/notes.yaml", None),
        ("components/terraform/net/variables.tf", Some("variable \"cidr\" {}\nvariable \"stage\" {}\n")),
        ("stacks/catalog/gone.yaml", Some("locals: {a: 1}\n")),
        ("stacks/deploy/edge2.yaml", Some("import: [deploy/edge]\nvars: {stage: edge2}\n")),
    ];
    prop_oneof![
        3 => (any::<Index>(), damage()).prop_map(|(file, damage)| Edit::Damaged(file, damage)),
        3 => (any::<Index>(), select(lines.to_vec())).prop_map(|(file, lines)| Edit::Extended(file, lines)),
        2 => select(written.to_vec()).prop_map(|(path, text)| Edit::Written(path, text)),
    ]
}

proptest! {
    #![proptest_config(crate::fuzz::cases(20))]

    #[test]
    fn a_session_finds_what_a_review_by_itself_finds(edits in prop::collection::vec((edit(), any::<bool>(), any::<bool>()), 1..7)) {
        let (session, mut files) = (Session::default(), entangled());
        for (edit, is_canceled, is_undone) in edits {
            let before = files.clone();
            edit.apply(&mut files);
            if is_canceled {
                let _ = cancel_after_rules(&session, &files);
            }
            if is_canceled && is_undone {
                files.clone_from(&before);
            }
            let [kept, fresh] = in_both_ways(&session, &files);
            let differing = kept.lines().zip(fresh.lines()).find(|(kept, fresh)| kept != fresh);
            prop_assert!(kept == fresh, "{differing:?}");
            if is_undone {
                files = before;
            }
        }
    }
}
