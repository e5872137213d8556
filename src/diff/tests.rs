use super::fixture::{BASE, HEAD, Tree, resolution};
use super::*;
use crate::resolution::{Component, Unit};
use crate::value::Data;

fn causes(list: &[Cause], files: &Files) -> String {
    let texts = list.iter().map(|c| format!("{} {}:{}:{}", c.side.name(), files.get(c.file).path, c.line, c.column));
    texts.collect::<Vec<_>>().join(", ")
}

/// One line for each change: address, sign, path, causes.
fn lines(base: Tree, head: Tree, options: &DiffOptions) -> Vec<String> {
    let files = Files::default();
    let (base, head) = (resolution(&files, base), resolution(&files, head));
    let mut lines = Vec::new();
    for c in diff(&base, &head, &files, options).components {
        if c.status != Status::Modified {
            lines.push(format!("{}/{} {} because of {}", c.stack, c.name, c.status.name(), causes(&c.causes, &files)));
        }
        for x in c.changes {
            let causes = causes(&x.causes, &files);
            lines.push(format!("{}/{} {} {} because of {causes}", c.stack, c.name, x.kind.sign(), x.path));
        }
    }
    lines
}

/// The fixture with one text replaced in one file.
fn edit(path: &'static str, from: &str, to: &str) -> Vec<(&'static str, String)> {
    let tree: Vec<_> =
        BASE.iter().map(|(p, t)| (*p, if *p == path { t.replacen(from, to, 1) } else { (*t).into() })).collect();
    assert!(tree.iter().zip(BASE).any(|(a, b)| a.1 != b.1), "{from:?} is not in {path}");
    tree
}

fn one_edit(path: &'static str, from: &str, to: &str) -> Vec<String> {
    let head = edit(path, from, to);
    let head: Vec<(&str, &str)> = head.iter().map(|(p, t)| (*p, t.as_str())).collect();
    let found = lines(BASE, &head, &DiffOptions::default());
    let touched = |p: &str| p == path;
    let known = lines(BASE, &head, &DiffOptions { touched: Some(&touched), ..DiffOptions::default() });
    assert_eq!(found, known, "what the caller knows only confirms it");
    found
}

#[test]
fn the_edited_line_comes_out() {
    for (path, from, to, want) in [
        (
            "catalog/defaults.yaml",
            "10.0.0.0/16",
            "10.1.0.0/16",
            vec![
                "dev/eks ~ /vars/cidr because of base catalog/defaults.yaml:3:3, head catalog/defaults.yaml:3:3",
                "dev/vpc ~ /vars/cidr because of base catalog/defaults.yaml:3:3, head catalog/defaults.yaml:3:3",
                "test/vpc ~ /vars/cidr because of base catalog/defaults.yaml:3:3, head catalog/defaults.yaml:3:3",
            ],
        ),
        // An override that is removed uncovers what it replaced.
        (
            "stacks/prod.yaml",
            "  cidr: \"10.9.0.0/16\"\n",
            "",
            vec![
                "prod/old ~ /vars/cidr because of base stacks/prod.yaml:5:3",
                "prod/vpc ~ /vars/cidr because of base stacks/prod.yaml:5:3",
            ],
        ),
        (
            "stacks/test.yaml",
            "  stage: test\n",
            "  stage: test\n  region: eu-west-1\n",
            vec!["test/vpc ~ /vars/region because of head stacks/test.yaml:5:3"],
        ),
        // Nothing of the imported file was edited; the import was.
        (
            "stacks/dev.yaml",
            "  - catalog/extra.yaml\n",
            "",
            vec![
                "dev/eks - /vars/extra because of base stacks/dev.yaml:3:5",
                "dev/vpc - /vars/extra because of base stacks/dev.yaml:3:5",
            ],
        ),
        (
            "stacks/prod.yaml",
            "  - catalog/defaults.yaml\n",
            "  - catalog/defaults.yaml\n  - catalog/extra.yaml\n",
            vec![
                "prod/old + /vars/extra because of head stacks/prod.yaml:3:5",
                "prod/vpc + /vars/extra because of head stacks/prod.yaml:3:5",
            ],
        ),
        // A computed value follows what it was computed from.
        (
            "stacks/test.yaml",
            "stage: test",
            "stage: qa",
            vec![
                "test/vpc ~ /vars/stage because of base stacks/test.yaml:4:3, head stacks/test.yaml:4:3",
                "test/vpc ~ /workspace because of base stacks/test.yaml:4:3, head stacks/test.yaml:4:3",
            ],
        ),
        (
            "stacks/dev.yaml",
            "          - b\n",
            "          - b\n          - c\n",
            vec!["dev/vpc + /vars/azs/2 because of head stacks/dev.yaml:13:13"],
        ),
        (
            "stacks/prod.yaml",
            "    old:\n      vars:\n        size: 1\n",
            "",
            vec![
                "prod/old removed because of base stacks/prod.yaml:11:5, base stacks/prod.yaml:12:7, base stacks/prod.yaml:13:9",
            ],
        ),
        // Only the other side has the line that renamed the stack.
        (
            "stacks/test.yaml",
            "vars:\n",
            "name: qa\nvars:\n",
            vec![
                "qa/vpc added because of head stacks/test.yaml:3:1",
                "test/vpc removed because of head stacks/test.yaml:3:1",
            ],
        ),
        ("stacks/test.yaml", "stage: test", "stage: test # same", vec![]),
    ] {
        let want: Vec<String> = want.into_iter().map(String::from).collect();
        assert_eq!(one_edit(path, from, to), want, "{path}: {from:?} to {to:?}");
    }
}

#[test]
fn a_new_file_is_named_once() {
    let mut head: Vec<(&str, &str)> = BASE.to_vec();
    head.push((
        "stacks/qa.yaml",
        "import:\n  - catalog/defaults.yaml\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        a: 1\n",
    ));
    let want = ["qa/vpc added because of head stacks/qa.yaml:1:1"];
    assert_eq!(lines(BASE, &head, &DiffOptions::default()), want);
    assert_eq!(
        lines(BASE, &head, &DiffOptions { touched: Some(&|p| p == "stacks/qa.yaml"), ..DiffOptions::default() }),
        want
    );
}

#[test]
fn filters_and_shared_units() {
    let files = Files::default();
    let (base, head) = (resolution(&files, BASE), resolution(&files, HEAD));
    let all = diff(&base, &head, &files, &DiffOptions::default());
    assert_eq!(all.components.len(), 6);
    let filter = |a: &Address| &*a.0 == "test";
    let one = diff(&base, &head, &files, &DiffOptions { filter: Some(&filter), ..DiffOptions::default() });
    assert_eq!(one.components.len(), 1);
    assert!(diff(&base, &base, &files, &DiffOptions::default()).components.is_empty());

    // A unit that one side only lists is not compared.
    let mut named = resolution(&files, HEAD);
    for unit in &mut named.units {
        let unit = Arc::get_mut(unit).unwrap();
        (unit.state, unit.components) = (State::OutOfScope, Vec::new());
    }
    assert!(diff(&base, &named, &files, &DiffOptions::default()).components.is_empty());
}

#[test]
fn a_shared_unit_still_hides_an_earlier_one() {
    let files = Files::default();
    let file = files.add("a.yaml", "1", || "".into());
    let unit = |name: &str, value: i64| {
        let value = Value::map([("x".into(), Value::new(Data::Int(value)))].into_iter().collect());
        let components = vec![Arc::new(Component::new(("s".into(), "terraform".into(), "c".into()), value))];
        Arc::new(Unit { files: vec![file], components, state: State::Resolved, ..Unit::broken(name.into(), file) })
    };
    let last = unit("z", 0);
    let resolution = |value| Resolution { units: vec![unit("a", value), Arc::clone(&last)], ..Resolution::default() };
    assert!(diff(&resolution(1), &resolution(2), &files, &DiffOptions::default()).components.is_empty());
    let without = Resolution { units: vec![unit("a", 2)], ..Resolution::default() };
    assert_eq!(diff(&resolution(1), &without, &files, &DiffOptions::default()).components.len(), 1);
}

#[test]
fn identical_changes_are_folded() {
    let files = Files::default();
    let (base, head) = (resolution(&files, BASE), resolution(&files, HEAD));
    let found = diff(&base, &head, &files, &DiffOptions::default());
    let groups: Vec<String> = group::group(&found, &files)
        .iter()
        .map(|g| {
            let paths: Vec<_> =
                g.changes.iter().map(|c| format!("{}{}x{}", c.kind.sign(), c.path, c.variants.len())).collect();
            format!("{} {} [{}] {}", g.effect.name(), g.addresses.len(), paths.join(" "), causes(&g.causes, &files))
        })
        .collect();
    insta::assert_snapshot!(groups.join("\n"));
}

#[test]
fn many_components_are_one_group() {
    let files = Files::default();
    let text = |x: u32| format!("vars:\n  x: {x}\n{}", (0..200).map(|i| format!("  k{i}: v{i}\n")).collect::<String>());
    let unit = |x: u32| {
        let text = text(x);
        let file = files.add("a.yaml", &text, || text.as_str().into());
        let value = fixture::parse(&files, file);
        let component = |i: u32| {
            // Copies, so that nothing is skipped by identity.
            let vars = value.get("vars").and_then(Value::as_map).unwrap();
            let copy = vars.iter().map(|e| (Text::clone(&e.key), e.value.clone())).collect();
            let address = (format!("s{}", i % 100).into(), "terraform".into(), format!("c{i}").into());
            Arc::new(Component::new(address, Value::map(copy)))
        };
        let components = (0..4_000).map(component).collect();
        Resolution {
            units: vec![Arc::new(Unit {
                files: vec![file],
                components,
                state: State::Resolved,
                ..Unit::broken("u".into(), file)
            })],
            ..Resolution::default()
        }
    };
    let (base, head) = (unit(1), unit(2));
    let found = diff(&base, &head, &files, &DiffOptions::default());
    let groups = group::group(&found, &files);
    assert_eq!((found.components.len(), groups.len(), groups[0].addresses.len()), (4_000, 1, 4_000));
}

#[test]
fn what_one_side_does_not_know_is_not_compared() {
    let files = Files::default();
    let base = resolution(&files, BASE);
    let without = |change: &dyn Fn(&mut Unit)| {
        let mut head = resolution(&files, BASE);
        let unit = head.units.iter_mut().find(|u| &*u.name == "dev").and_then(Arc::get_mut).unwrap();
        change(unit);
        diff(&base, &head, &files, &DiffOptions::default())
    };
    let gone = |unit: &mut Unit| unit.components.clear();
    assert!(!without(&gone).components.is_empty());
    let failed = without(&|unit| {
        gone(unit);
        unit.failed.push("dev".into());
    });
    assert!(failed.components.is_empty());
    assert_eq!(failed.unresolved, ["dev: dev"]);
    let broken = without(&|unit| {
        unit.broken = unit.components.drain(..).map(|c| (Text::clone(&c.kind), Text::clone(&c.name))).collect();
    });
    assert!(broken.components.is_empty() && !broken.unresolved.is_empty());
    let whole = without(&|unit| {
        gone(unit);
        unit.state = State::Broken;
    });
    assert!(whole.components.is_empty());
    assert_eq!(whole.unresolved, ["dev"]);
}

#[test]
fn the_order_in_which_files_are_read_decides_nothing() {
    let paths: Vec<String> = (10..50).map(|n| format!("catalog/{n}.yaml")).collect();
    let imports: String = paths.iter().map(|path| format!("  - {path}\n")).collect();
    let stack = format!("import:\n{imports}components:\n  terraform:\n    vpc:\n      vars: {{}}\n");
    // Nothing says which of the edited files made the difference.
    let found = |is_reversed: bool| {
        let files = Files::default();
        let sides = ["other: 1\n", "other: 2\n"].map(|text| {
            let mut tree: Vec<(&str, &str)> = paths.iter().map(|path| (&**path, text)).collect();
            tree.push(("stacks/dev.yaml", &stack));
            let mut order: Vec<&(&str, &str)> = tree.iter().collect();
            if is_reversed {
                order.reverse();
            }
            order.into_iter().for_each(|(path, text)| _ = files.add(path, text, || (*text).into()));
            let mut resolution = resolution(&files, &tree);
            let unit = Arc::get_mut(&mut resolution.units[0]).unwrap();
            let component = Arc::get_mut(&mut unit.components[0]).unwrap();
            component.value = Value::map([("computed".into(), Value::str(text))].into_iter().collect());
            component.shaping_origins = Default::default();
            resolution
        });
        let diff = diff(&sides[0], &sides[1], &files, &DiffOptions::default());
        causes(&diff.components[0].causes, &files)
    };
    assert!(found(false).contains("catalog/10.yaml"), "{}", found(false));
    assert_eq!(found(false), found(true));
}
