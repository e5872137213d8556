//! A check that reuses earlier ones reports what a check by itself reports, and nothing that is kept is believed where it does not
//! fit.

use super::session::{Edit, edit, entangled};
use super::*;
use crate::dialects::VariableInput;
use crate::limits::Limit;
use crate::source::{Source, Store};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A store in memory that counts what is read from it.
#[derive(Default)]
pub(super) struct Shelf {
    pub(super) entries: Mutex<BTreeMap<String, Vec<u8>>>,
    hits: AtomicUsize,
}

impl Store for Shelf {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        let found = self.entries.lock().get(key).cloned();
        self.hits.fetch_add(usize::from(found.is_some() && key.ends_with("-state")), Ordering::Relaxed);
        found
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        self.entries.lock().insert(key.to_owned(), bytes.to_vec());
    }
}

impl Shelf {
    /// Returns a store with the same entries.
    pub(super) fn copy(&self) -> Self {
        Shelf { entries: Mutex::new(self.entries.lock().clone()), ..Shelf::default() }
    }

    /// How many states were found since the last call.
    pub(super) fn hits(&self) -> usize {
        self.hits.swap(0, Ordering::Relaxed)
    }

    fn states(&self) -> usize {
        self.entries.lock().keys().filter(|key| key.ends_with("-state")).count()
    }
}

/// The inputs of a check besides its files.
#[derive(Clone)]
pub(super) struct Inputs {
    project: Project,
    folders: Vec<String>,
    dialect: Option<&'static str>,
    overrides: Overrides,
    /// The formats to compare. SARIF describes all rules, so it takes long.
    formats: &'static [Format],
}

pub(super) fn inputs() -> Inputs {
    let overrides = Overrides { groups: Group::ALL.to_vec(), ..Overrides::default() };
    Inputs {
        project: Project::default(),
        folders: Vec::new(),
        dialect: None,
        overrides,
        formats: &[Format::Text, Format::Json],
    }
}

/// All that a review is reported with.
fn shown(review: Result<Review, Error>, inputs: &Inputs) -> String {
    match review {
        Ok(review) => {
            let outcome = review.outcome(&inputs.overrides, Demand::Nothing);
            let reports = inputs.formats.iter().map(|format| written(*format, &review));
            reports.collect::<String>() + &format!("{outcome:?} {:?} {:?}", review.coverage, review.head)
        }
        Err(error) => format!("{error:?}"),
    }
}

/// What a check with a cache and one without report.
pub(super) fn with_and_without(shelf: &Arc<Shelf>, source: &dyn Source, inputs: &Inputs) -> [String; 2] {
    let Inputs { project, folders, dialect, overrides, formats: _ } = inputs;
    let workspace = Workspace { project, folders, dialect: *dialect, host: &NoHost };
    let request = Request { filter: Filter::default(), overrides, affected: None, shard: None };
    let cache = CheckCache::new(Arc::clone(shelf) as Arc<dyn Store>);
    [check_cached(&cache, source, &workspace, &request), check(source, &workspace, &request)]
        .map(|review| shown(review, inputs))
}

/// Checks with a cache, compares with a check without one, and returns the report and whether the state was found.
fn checked(shelf: &Arc<Shelf>, files: &Texts, inputs: &Inputs) -> (String, bool) {
    shelf.hits();
    let [kept, fresh] = with_and_without(shelf, &source("state", files), inputs);
    assert_eq!(kept, fresh);
    (kept, shelf.hits() > 0)
}

#[test]
fn a_state_is_examined_once() {
    let (shelf, files) = (Arc::default(), entangled());
    let (first, is_known) = checked(&shelf, &files, &inputs());
    assert!(!is_known && first.contains("component-validation") && first.contains("unused-local"), "{first}");
    assert_eq!(checked(&shelf, &files, &inputs()), (first, true));
}

#[test]
fn every_input_counts() {
    let (shelf, files) = (Arc::default(), entangled());
    checked(&shelf, &files, &inputs());
    type Change = fn(&mut Inputs);
    let changes: [Change; 15] = [
        |i| i.project.start = "stacks".to_owned(),
        |i| i.project.root = "/x".to_owned(),
        |i| i.project.config = vec!["atmos.yaml".to_owned()],
        |i| drop(i.project.env.insert("ATMOS_X".to_owned(), "1".to_owned())),
        |i| i.project.variables = Some(["SIZE".to_owned()].into()),
        |i| i.project.eval_inputs = Some(crate::dialects::EvalInputs::default()),
        |i| drop(i.project.inputs.env.insert("SIZE".to_owned(), "1".to_owned())),
        |i| i.project.inputs.variables.push(VariableInput::File { path: "a.tfvars".to_owned() }),
        |i| i.project.promised_merge = true,
        |i| i.folders = vec!["stacks".to_owned()],
        |i| i.dialect = Some("atmos"),
        |i| i.overrides.groups.truncate(2),
        |i| i.overrides.variables = Some(["SIZE".to_owned()].into()),
        |i| i.overrides.seconds = Some(17),
        |i| i.overrides.raise_limits = true,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut inputs = inputs();
        change(&mut inputs);
        assert!(!checked(&shelf, &files, &inputs).1, "{number}");
        // What cannot be checked at all is not kept.
        let (report, is_known) = checked(&shelf, &files, &inputs);
        assert!(is_known != report.starts_with("NoProject"), "{number}");
    }
}

#[test]
fn levels_baselines_and_limits_of_reports_are_applied_anew() {
    let (shelf, files) = (Arc::default(), entangled());
    checked(&shelf, &files, &inputs());
    let baseline = "{\"version\": 1, \"findings\": []}".to_owned();
    let changes: [&dyn Fn(&mut Overrides); 4] = [
        &|o| o.min_level = Some(Level::Error),
        &|o| o.strict = true,
        &|o| o.fail_on = Some(crate::settings::FailOn::Note),
        &|o| o.baseline = BaselineFile::Given("b".to_owned(), baseline.clone(), None),
    ];
    for change in changes {
        let mut inputs = Inputs { formats: &[Format::Text, Format::Json, Format::Sarif], ..inputs() };
        change(&mut inputs.overrides);
        assert!(checked(&shelf, &files, &inputs).1);
    }
}

#[test]
fn every_file_counts() {
    let (shelf, files) = (Arc::default(), entangled());
    checked(&shelf, &files, &inputs());
    for path in files.keys() {
        let mut edited = files.clone();
        edited.get_mut(path).unwrap().push('\n');
        checked(&shelf, &edited, &inputs());
        edited.remove(path);
        checked(&shelf, &edited, &inputs());
    }
    let mut more = files.clone();
    more.insert("docs/new.md".to_owned(), String::new());
    assert!(!checked(&shelf, &more, &inputs()).1);
    // A link instead of a file with its content, and one that leads elsewhere.
    let bytes = |files: &Texts| files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
    let mut without = files.clone();
    let target = without.remove("stacks/catalog/net.yaml").unwrap();
    without.insert("net.yaml".to_owned(), target);
    for target in ["../../net.yaml", "../../size.json", "net.yaml"] {
        let links = BTreeMap::from([("stacks/catalog/net.yaml".to_owned(), target.to_owned())]);
        let source = Memory::with_links("state", bytes(&without), links);
        let [kept, fresh] = with_and_without(&shelf, &source, &inputs());
        assert_eq!(kept, fresh);
    }
    assert!(checked(&shelf, &files, &inputs()).1);
}

#[test]
fn files_that_decide_nothing_may_change() {
    let (shelf, mut files) = (Arc::<Shelf>::default(), entangled());
    let other = "other".to_owned();
    files.extend([("docs/a.md".to_owned(), other.clone()), ("app/b.py".to_owned(), other.clone())]);
    let (first, _) = checked(&shelf, &files, &inputs());
    let same = |files: &Texts| checked(&shelf, files, &inputs()) == (first.clone(), true);
    let mut edited = files.clone();
    edited.insert("docs/a.md".to_owned(), "more words".to_owned());
    assert!(same(&edited));
    edited.insert("app/b.py".to_owned(), "print()".to_owned());
    assert!(same(&edited));
    assert_eq!(shelf.states(), 1, "it is not kept twice");
    // Now it has the content of a file that was read: what is known of that file counts for it.
    edited.insert("app/b.py".to_owned(), files["stacks/deploy/dev.yaml"].clone());
    assert!(!checked(&shelf, &edited, &inputs()).1);
    // A file that was read has the content of another one, which was not.
    edited.insert("app/b.py".to_owned(), other);
    edited.insert("stacks/deploy/dev.yaml".to_owned(), "more words".to_owned());
    assert!(!checked(&shelf, &edited, &inputs()).1);
    // A path is no content.
    let mut moved = files.clone();
    let text = moved.remove("docs/a.md").unwrap();
    moved.insert("docs/b.md".to_owned(), text);
    assert!(!checked(&shelf, &moved, &inputs()).1);
    // Several states are remembered.
    shelf.entries.lock().clear();
    checked(&shelf, &files, &inputs());
    for size in 2..5 {
        let mut edited = files.clone();
        let box_of = |size: usize| files["stacks/deploy/dev.yaml"].replace("size: 1", &format!("size: {size}"));
        edited.insert("stacks/deploy/dev.yaml".to_owned(), box_of(size));
        assert!(!checked(&shelf, &edited, &inputs()).1);
        edited.insert("docs/a.md".to_owned(), format!("{size}"));
        assert!(checked(&shelf, &edited, &inputs()).1);
        edited.insert("stacks/deploy/dev.yaml".to_owned(), box_of(1));
        assert!(same(&edited));
    }
}

#[test]
fn what_does_not_fit_is_not_believed() {
    let (shelf, files) = (Arc::<Shelf>::default(), entangled());
    let (plain, _) = checked(&shelf, &files, &inputs());
    let entries = shelf.entries.lock().clone();
    let damage = |change: &dyn Fn(String) -> Vec<u8>| {
        let damaged =
            entries.iter().map(|(key, bytes)| (key.clone(), change(String::from_utf8(bytes.clone()).unwrap())));
        let damaged: BTreeMap<_, _> = damaged.collect();
        *shelf.entries.lock() = damaged.clone();
        let [kept, _] = with_and_without(&shelf, &source("state", &files), &inputs());
        assert!(kept == plain);
        let replaced =
            shelf.entries.lock().iter().all(|(key, bytes)| key.ends_with("-recent") || damaged[key] != *bytes);
        assert!(replaced, "what is damaged is replaced");
    };
    damage(&|_| Vec::new());
    damage(&|_| b"{}".to_vec());
    damage(&|_| vec![0xff; 100]);
    damage(&|text| text[..text.len() / 2].into());
    let replacements = [
        ("\"rule\":\"unused-local\"", "\"rule\":\"unheard-of\""),
        ("\"start\":", "\"start\":9"),
        ("\"end\":", "\"end\":99"),
        ("\"file\":1,", "\"file\":4000,"),
        ("\"file\":1,", "\"file\":0,"),
        ("\"path\":\"stacks/", "\"path\":\"stocks/"),
        ("\"is_chain\"", "\"more\":1,\"is_chain\""),
        ("\"coverage\":{", "\"coverage\":{\"more\":1,"),
        ("\"commented\":[", "\"commented\":[77,"),
    ];
    for (from, to) in replacements {
        assert!(entries.values().any(|bytes| String::from_utf8_lossy(bytes).contains(from)), "{from}");
        damage(&|text| text.replacen(from, to, 1).into());
    }
}

/// A source whose files change after they were listed.
struct Changing(Memory, Memory);

impl Source for Changing {
    fn listing(&self) -> &crate::source::Listing {
        self.0.listing()
    }

    fn read(&self, entry: &crate::source::Entry) -> Result<Arc<[u8]>, source::Error> {
        self.1.read(self.1.listing().resolve(&entry.path).unwrap_or(entry))
    }

    fn name(&self) -> &str {
        "state"
    }
}

#[test]
fn what_is_not_as_listed_is_not_kept() {
    let (shelf, files) = (Arc::<Shelf>::default(), entangled());
    let mut edited = files.clone();
    edited.insert("stacks/deploy/edge.yaml".to_owned(), "vars: {stage: edge}\n".to_owned());
    let changing = Changing(source("state", &files), source("state", &edited));
    let [kept, fresh] = with_and_without(&shelf, &changing, &inputs());
    assert_eq!((kept, shelf.states()), (fresh, 0));
    checked(&shelf, &files, &inputs());
    // The entry of the listing does not count for other content.
    shelf.hits();
    let [kept, fresh] = with_and_without(&shelf, &changing, &inputs());
    assert!(kept == fresh && shelf.hits() > 0);
}

#[test]
fn what_a_limit_prevented_is_not_kept() {
    let (shelf, mut files) = (Arc::<Shelf>::default(), entangled());
    files.insert("stacklint.toml".to_owned(), format!("[limits]\n{} = 1\n", Limit::Imports.name()));
    let (text, _) = checked(&shelf, &files, &inputs());
    assert!(text.contains("more than 1 direct and indirect imports"));
    assert_eq!(shelf.states(), 0);
}

/// An edit of what a check reads, or of other files, which may get the content of one that it reads.
fn edit_of_all() -> impl Strategy<Value = Edit> {
    let paths = select(vec!["docs/a.adoc", "app/main.go", "stacks/catalog/gone.yaml"]);
    let texts = select(vec!["", "x", "locals: {a: 1}\n", "variable \"size\" {}\n", "variable {\n"]);
    prop_oneof![edit(), (paths, texts).prop_map(|(path, text)| Edit::Written(path, Some(text)))]
}

proptest! {
    #![proptest_config(crate::fuzz::cases(8))]

    #[test]
    fn a_cache_changes_no_report(edits in prop::collection::vec((edit_of_all(), any::<bool>()), 1..12)) {
        let (shelf, mut files) = (Arc::<Shelf>::default(), entangled());
        files.extend(["docs/a.adoc", "app/main.go"].map(|path| (path.to_owned(), String::new())));
        for (edit, is_undone) in edits {
            let before = files.clone();
            edit.apply(&mut files);
            let [kept, fresh] = with_and_without(&shelf, &source("state", &files), &inputs());
            let differing = kept.lines().zip(fresh.lines()).find(|(kept, fresh)| kept != fresh);
            prop_assert!(kept == fresh, "{differing:?}");
            if is_undone {
                files = before;
            }
        }
    }
}
