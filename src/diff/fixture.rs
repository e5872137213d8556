//! Small resolutions for tests of the core: a system with imports, global vars, components, and one computed value.

use crate::files::Files;
use crate::limits::Limits;
use crate::resolution::{Component, Resolution, State, Unit};
use crate::text::Text;
use crate::value::decode::decode;
use crate::value::{Data, FileId, Language, Map, Origin, Prov, Value, Vocabulary};
use crate::yaml::{self, Span};
use std::sync::Arc;

/// The words of the manifests.
static WORDS: Vocabulary = Vocabulary { inputs: "vars", ..Vocabulary::EMPTY };

/// Files of one revision: paths and texts.
pub(crate) type Tree<'a> = &'a [(&'a str, &'a str)];

/// The content of a file, with the origin of every value.
pub(crate) fn parse(files: &Files, id: FileId) -> Value {
    let document = yaml::document_of(Text::clone(&files.get(id).text)).expect("the files of tests are YAML");
    let place = |key, span: Span| Prov::at(Origin { file: id, key, start: span.start, end: span.end });
    decode(&document, &place, Limits::default()).expect("the files of tests can be decoded")
}

/// `over` merged onto `under`.
pub(crate) fn merge(under: &Value, over: &Value) -> Value {
    let (Data::Map(a), Data::Map(b)) = (&under.data, &over.data) else {
        return over.clone().with_prov(over.prov.overriding(under));
    };
    let mut map = Map::clone(a);
    for entry in b.iter() {
        let value = map.get(&entry.key).map_or_else(|| entry.value.clone(), |old| merge(old, &entry.value));
        map.set(Text::clone(&entry.key), value);
    }
    Value::map(map).with_prov(over.prov.overriding(under))
}

/// Every `stacks/NAME.yaml` is a unit; `import` names other files, `vars` are for all components of
/// `components.terraform`, and `workspace` is computed from `vars.stage` and the name.
pub(crate) fn resolution(files: &Files, tree: Tree) -> Resolution {
    let add = |path: &str| {
        let text = tree.iter().find(|f| f.0 == path).map(|f| f.1)?;
        Some(files.add(path, text, || text.into()))
    };
    let mut units = Vec::new();
    for (path, _) in tree {
        let Some(name) = path.strip_prefix("stacks/").and_then(|p| p.strip_suffix(".yaml")) else { continue };
        let Some(file) = add(path) else { continue };
        let root = parse(files, file);
        let (mut used, mut shaping_origins, mut merged) = (vec![file], Vec::new(), Value::map(Map::new()));
        for import in root.get("import").and_then(Value::as_list).into_iter().flat_map(|l| l.iter()) {
            if let Some(id) = import.as_str().and_then(add) {
                used.push(id);
                shaping_origins.extend(import.prov.origin);
                merged = merge(&merged, &parse(files, id));
            }
        }
        merged = merge(&merged, &root);
        used.sort();
        let stack: Text = merged.get("name").and_then(Value::as_str).unwrap_or(name).into();
        let mut components = Vec::new();
        let empty = Value::map(Map::new());
        let vars = merged.get("vars").unwrap_or(&empty);
        for entry in
            merged.at_path(["components", "terraform"]).and_then(Value::as_map).into_iter().flat_map(|m| m.iter())
        {
            let own = merge(&Value::map([("vars".into(), vars.clone())].into_iter().collect()), &entry.value);
            let mut map = Map::clone(own.as_map().unwrap());
            let stage = own.at_path(["vars", "stage"]);
            let text = format!("{}-{}", stage.and_then(Value::as_str).unwrap_or("none"), entry.key);
            let prov = Prov::default().with_inputs(stage.map(|s| s.prov.clone()));
            map.set("workspace", Value::str(text).with_prov(prov));
            let address = (Text::clone(&stack), "terraform".into(), Text::clone(&entry.key));
            components.push(Arc::new(Component {
                shaping_origins: shaping_origins.clone().into(),
                language: Language { vocabulary: &WORDS, ..Language::default() },
                ..Component::new(address, Value::map(map).with_prov(own.prov))
            }));
        }
        units.push(Arc::new(Unit {
            files: used,
            components,
            state: State::Resolved,
            ..Unit::broken(name.into(), file)
        }));
    }
    units.sort_by(|a, b| a.name.cmp(&b.name));
    Resolution { units, ..Resolution::default() }
}

/// A revision with imports, overrides, a list, a secret and a multi-line text.
pub(crate) const BASE: Tree = &[
    (
        "catalog/defaults.yaml",
        "vars:\n  region: us-east-2\n  cidr: \"10.0.0.0/16\"\n  db_password: hunter2\n  tags:\n    Team: core\n    Owner: platform\n",
    ),
    ("catalog/extra.yaml", "vars:\n  extra: 1\n"),
    (
        "stacks/dev.yaml",
        "import:\n  - catalog/defaults.yaml\n  - catalog/extra.yaml\nvars:\n  stage: dev\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        azs:\n          - a\n          - b\n    eks:\n      vars:\n        size: 3\n",
    ),
    (
        "stacks/prod.yaml",
        "import:\n  - catalog/defaults.yaml\nvars:\n  stage: prod\n  cidr: \"10.9.0.0/16\"\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        script: \"set -eu\\necho one\\necho two\\necho three\\necho four\\nexit 0\"\n    old:\n      vars:\n        size: 1\n",
    ),
    (
        "stacks/test.yaml",
        "import:\n  - catalog/defaults.yaml\nvars:\n  stage: test\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        size: 1\n",
    ),
];

/// The revision after it.
pub(crate) const HEAD: Tree = &[
    (
        "catalog/defaults.yaml",
        "vars:\n  region: us-east-2\n  cidr: \"10.1.0.0/16\"\n  db_password: hunter3\n  tags:\n    Team: core\n    Owner: the platform team\n    Cost:\n      center: 12\n      tool: \"\\e[31mred\"\n",
    ),
    ("catalog/extra.yaml", "vars:\n  extra: 1\n"),
    (
        "stacks/dev.yaml",
        "import:\n  - catalog/defaults.yaml\nvars:\n  stage: development\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        azs:\n          - z\n          - a\n          - b\n    eks:\n      vars:\n        size: 3\n",
    ),
    (
        "stacks/prod.yaml",
        "import:\n  - catalog/defaults.yaml\nvars:\n  stage: prod\n  cidr: \"10.9.0.0/16\"\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        script: \"set -eu\\necho one\\necho 2\\necho three\\necho four\\nexit 0\"\n    new:\n      vars:\n        size: 2\n",
    ),
    (
        "stacks/test.yaml",
        "import:\n  - catalog/defaults.yaml\nvars:\n  stage: test\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        size: 1\n",
    ),
];
