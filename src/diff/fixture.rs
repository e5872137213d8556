//! Small resolutions for tests: a toy dialect (imports, global vars, components, one computed value) over a toy YAML.

use crate::files::Files;
use crate::resolution::{Component, Resolution, State, Unit};
use crate::text::Text;
use crate::value::{Data, FileId, Language, Map, Origin, Prov, Value, Vocabulary};
use std::sync::Arc;

/// The words of the manifests.
static WORDS: Vocabulary = Vocabulary { inputs: "vars", ..Vocabulary::EMPTY };

/// Files of one revision: paths and texts.
pub(crate) type Tree<'a> = &'a [(&'a str, &'a str)];

/// Block maps, `- ` lists of scalars, numbers, truth values and text, with the origin of every value.
pub(crate) fn parse(files: &Files, id: FileId) -> Value {
    let text = Text::clone(&files.get(id).text);
    let mut lines = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        if !content.trim_start().is_empty() && !content.trim_start().starts_with('#') {
            lines.push((content.len() - content.trim_start().len(), offset, content));
        }
        offset += line.len();
    }
    let mut lines = lines.into_iter().peekable();
    block(&mut lines, 0, id)
}

type Lines<'a> = std::iter::Peekable<std::vec::IntoIter<(usize, usize, &'a str)>>;

fn block(lines: &mut Lines, indent: usize, file: FileId) -> Value {
    let Some(&(_, first, line)) = lines.peek() else { return Value::default() };
    let start = (first + indent) as u32;
    let mut end = start;
    let data = if line[indent..].starts_with("- ") {
        let mut items = Vec::new();
        while let Some((_, offset, line)) = lines.next_if(|l| l.0 == indent && l.2[indent..].starts_with("- ")) {
            let start = (offset + indent + 2) as u32;
            end = (offset + line.len()) as u32;
            items.push(Value::at(scalar(&line[indent + 2..]), Origin { file, key: start, start, end }));
        }
        Data::List(Arc::new(items))
    } else {
        let mut map = Map::new();
        while let Some((_, offset, line)) = lines.next_if(|l| l.0 == indent) {
            let (key, rest) = line[indent..].split_once(':').unwrap();
            let at = (offset + indent) as u32;
            let value = if rest.is_empty() {
                let inner = lines.peek().map_or(0, |l| l.0);
                let mut value = block(lines, inner.max(indent + 1), file);
                if let Some(origin) = &mut value.prov.origin {
                    origin.key = at;
                }
                value
            } else {
                let end = (offset + line.len()) as u32;
                let start = end - rest.trim_start().len() as u32;
                Value::at(scalar(rest.trim_start()), Origin { file, key: at, start, end })
            };
            end = value.prov.origin.map_or(end, |o| o.end);
            map.set(key, value);
        }
        Data::Map(Arc::new(map))
    };
    Value::at(data, Origin { file, key: start, start, end })
}

fn scalar(text: &str) -> Data {
    match text {
        "true" => Data::Bool(true),
        "false" => Data::Bool(false),
        "null" => Data::Null,
        _ => text.parse().map_or_else(
            |_| Data::Str(text.trim_matches('"').replace("\\n", "\n").replace("\\e", "\u{1b}").into()),
            Data::Int,
        ),
    }
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
            components.push(Arc::new(Component {
                stack: Text::clone(&stack),
                kind: "terraform".into(),
                name: Text::clone(&entry.key),
                value: Value::map(map).with_prov(own.prov),
                shaping_origins: shaping_origins.clone().into(),
                declared: None,
                removal: crate::resolution::RemovalEffect::Orphaned,
                language: Language { vocabulary: &WORDS, ..Language::default() },
                locals: None,
                metadata: Default::default(),
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
