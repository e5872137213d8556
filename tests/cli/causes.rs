//! Every change names the edited lines behind it.

use crate::common::Repo;
use serde_json::Value;

/// One edit of a small project and the expected report.
struct Edit<'a> {
    /// The files of the project besides `atmos.yaml`.
    files: &'a [(&'a str, &'a str)],
    /// The changes of the head: whole files (`None`: removed).
    head: &'a [(&'a str, Option<&'a str>)],
}

impl Edit<'_> {
    fn diff(&self) -> Value {
        self.repo().run(&["diff", "base..HEAD", "--format", "json"]).json()
    }

    fn repo(&self) -> Repo {
        let repo = Repo::atmos();
        self.files.iter().for_each(|(path, text)| {
            repo.write(path, text);
        });
        repo.commit("base");
        repo.tag("base");
        for (path, text) in self.head {
            match text {
                Some(text) => repo.write(path, text),
                None => repo.remove(path),
            };
        }
        repo.commit("head");
        repo
    }
}

/// `stack/component status path: side file:line …` for each change.
fn lines(diff: &Value) -> Vec<String> {
    let text = |v: &Value| v.as_str().unwrap().to_owned();
    let causes = |v: &Value| -> String {
        let one = |c: &Value| format!("{} {}:{}", text(&c["side"]), text(&c["file"]), c["line"]);
        v["causes"].as_array().unwrap().iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let mut out = Vec::new();
    for c in diff["components"].as_array().unwrap() {
        let name = format!("{}/{}", text(&c["stack"]), text(&c["component"]));
        let changes = c["changes"].as_array().unwrap();
        if changes.is_empty() {
            out.push(format!("{name} {}: {}", text(&c["status"]), causes(c)));
        }
        out.extend(changes.iter().map(|ch| format!("{name} {}: {}", text(&ch["path"]), causes(ch))));
    }
    out
}

const BOX: &str = "components:\n  terraform:\n    box:\n      vars:\n        size: 1\n";
const DEV: &str = "import:\n  - catalog/box\nvars:\n  stage: dev\n";

#[test]
fn through_an_import() {
    let diff = Edit {
        files: &[("stacks/catalog/box.yaml", BOX), ("stacks/deploy/dev.yaml", DEV)],
        head: &[(
            "stacks/catalog/box.yaml",
            Some("components:\n  terraform:\n    box:\n      vars:\n        size: 2\n"),
        )],
    }
    .diff();
    assert_eq!(lines(&diff), ["dev/box /vars/size: base stacks/catalog/box.yaml:5, head stacks/catalog/box.yaml:5"]);
}

#[test]
fn through_inheritance() {
    let bases = "components:\n  terraform:\n    base:\n      metadata:\n        type: abstract\n      vars:\n        size: 1\n    box:\n      metadata:\n        inherits:\n          - base\n";
    let more = bases.replace("size: 1", "size: 2");
    let diff = Edit {
        files: &[("stacks/catalog/box.yaml", bases), ("stacks/deploy/dev.yaml", DEV)],
        head: &[("stacks/catalog/box.yaml", Some(&more))],
    }
    .diff();
    let place = "base stacks/catalog/box.yaml:7, head stacks/catalog/box.yaml:7";
    assert_eq!(lines(&diff), [format!("dev/base /vars/size: {place}"), format!("dev/box /vars/size: {place}")]);
}

#[test]
fn through_another_base_component() {
    let text = |base: &str| {
        format!(
            "vars:\n  stage: dev\ncomponents:\n  terraform:\n    small:\n      vars:\n        size: 1\n    large:\n      vars:\n        size: 9\n    box:\n      metadata:\n        inherits:\n          - {base}\n"
        )
    };
    let head = text("large");
    let diff =
        Edit { files: &[("stacks/deploy/dev.yaml", &text("small"))], head: &[("stacks/deploy/dev.yaml", Some(&head))] }
            .diff();
    let place = "base stacks/deploy/dev.yaml:14, head stacks/deploy/dev.yaml:14";
    let found = lines(&diff);
    assert!(found.contains(&format!("dev/box /vars/size: {place}")), "{found:#?}");
    assert!(found.iter().all(|l| l.contains(place)), "{found:#?}");
}

#[test]
fn through_locals_of_the_file() {
    let text = "locals:\n  first: one\n  second: \"{{ .locals.first }}-two\"\nvars:\n  stage: dev\ncomponents:\n  terraform:\n    box:\n      vars:\n        name: \"{{ .locals.second }}\"\n";
    let head = text.replace("first: one", "first: eins");
    let diff =
        Edit { files: &[("stacks/deploy/dev.yaml", text)], head: &[("stacks/deploy/dev.yaml", Some(&head))] }.diff();
    assert_eq!(lines(&diff), ["dev/box /vars/name: base stacks/deploy/dev.yaml:2, head stacks/deploy/dev.yaml:2"]);
}

#[test]
fn through_a_template_reference() {
    let text = "vars:\n  stage: dev\nsettings:\n  owner: ann\ncomponents:\n  terraform:\n    box:\n      vars:\n        label: \"by {{ .settings.owner }}\"\n";
    let head = text.replace("ann", "bob");
    let diff =
        Edit { files: &[("stacks/deploy/dev.yaml", text)], head: &[("stacks/deploy/dev.yaml", Some(&head))] }.diff();
    let place = "base stacks/deploy/dev.yaml:4, head stacks/deploy/dev.yaml:4";
    assert_eq!(lines(&diff), [format!("dev/box /settings/owner: {place}"), format!("dev/box /vars/label: {place}")]);
}

#[test]
fn through_a_context_of_an_import() {
    let shape = "components:\n  terraform:\n    box-{{ .zone }}:\n      vars:\n        zone: \"{{ .zone }}\"\n        size: {{ .size }}\n";
    let dev = "import:\n  - path: catalog/box\n    context:\n      zone: a\n      size: 1\nvars:\n  stage: dev\n";
    let head = dev.replace("size: 1", "size: 2");
    let diff = Edit {
        files: &[("stacks/catalog/box.yaml.tmpl", shape), ("stacks/deploy/dev.yaml", dev)],
        head: &[("stacks/deploy/dev.yaml", Some(&head))],
    }
    .diff();
    assert_eq!(lines(&diff), ["dev/box-a /vars/size: base stacks/deploy/dev.yaml:5, head stacks/deploy/dev.yaml:5"]);
}

#[test]
fn through_the_settings_of_atmos() {
    let dev = format!("vars: {{stage: dev, tenant: shop}}\n{BOX}");
    let pattern = crate::common::ATMOS.replace("{stage}", "{tenant}-{stage}");
    let diff = Edit { files: &[("stacks/deploy/dev.yaml", &dev)], head: &[("atmos.yaml", Some(&pattern))] }.diff();
    let place = "base atmos.yaml:2, head atmos.yaml:2";
    assert_eq!(lines(&diff), [format!("dev/box removed: {place}"), format!("shop-dev/box added: {place}")]);
}

#[test]
fn through_the_list_strategy() {
    let atmos = format!("{}settings:\n  list_merge_strategy: replace\n", crate::common::ATMOS);
    let append = atmos.replace("replace", "append");
    let dev =
        "vars:\n  stage: dev\n  zones: [a]\ncomponents:\n  terraform:\n    box:\n      vars:\n        zones: [b]\n";
    let diff = Edit {
        files: &[("atmos.yaml", &atmos), ("stacks/deploy/dev.yaml", dev)],
        head: &[("atmos.yaml", Some(&append))],
    }
    .diff();
    assert_eq!(lines(&diff), ["dev/box /vars/zones/0: base atmos.yaml:6, head atmos.yaml:6"]);
}

#[test]
fn deletion_of_an_override() {
    let dev = format!("{DEV}components:\n  terraform:\n    box:\n      vars:\n        size: 7\n");
    let diff = Edit {
        files: &[("stacks/catalog/box.yaml", BOX), ("stacks/deploy/dev.yaml", &dev)],
        head: &[("stacks/deploy/dev.yaml", Some(DEV))],
    }
    .diff();
    assert_eq!(lines(&diff), ["dev/box /vars/size: base stacks/deploy/dev.yaml:9"]);
}

#[test]
fn an_import_line_comes_or_goes() {
    let extra = "vars:\n  region: eu\n";
    let files =
        [("stacks/catalog/box.yaml", BOX), ("stacks/catalog/region.yaml", extra), ("stacks/deploy/dev.yaml", DEV)];
    let with = DEV.replace("  - catalog/box\n", "  - catalog/box\n  - catalog/region\n");
    let diff = Edit { files: &files, head: &[("stacks/deploy/dev.yaml", Some(&with))] }.diff();
    assert_eq!(lines(&diff), ["dev/box /vars/region: head stacks/deploy/dev.yaml:3"]);

    let files = [files[0], files[1], ("stacks/deploy/dev.yaml", &*with)];
    let diff = Edit { files: &files, head: &[("stacks/deploy/dev.yaml", Some(DEV))] }.diff();
    assert_eq!(lines(&diff), ["dev/box /vars/region: base stacks/deploy/dev.yaml:3"]);
}

#[test]
fn components_come_and_go() {
    let dev = format!("vars:\n  stage: dev\n{BOX}");
    let more = format!("{dev}    bag:\n      vars:\n        size: 2\n");
    let added = Edit { files: &[("stacks/deploy/dev.yaml", &dev)], head: &[("stacks/deploy/dev.yaml", Some(&more))] };
    assert_eq!(lines(&added.diff()).len(), 1);
    let found = lines(&added.diff());
    assert!(found[0].starts_with("dev/bag added: head stacks/deploy/dev.yaml:8"), "{found:?}");

    let removed = Edit { files: &[("stacks/deploy/dev.yaml", &more)], head: &[("stacks/deploy/dev.yaml", Some(&dev))] };
    let found = lines(&removed.diff());
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("dev/bag removed: base stacks/deploy/dev.yaml:8"), "{found:?}");
}

#[test]
fn a_renamed_stack_is_one_gone_and_one_new() {
    let dev = format!("vars:\n  stage: dev\n{BOX}");
    let renamed = dev.replace("stage: dev", "stage: test");
    let diff =
        Edit { files: &[("stacks/deploy/dev.yaml", &dev)], head: &[("stacks/deploy/dev.yaml", Some(&renamed))] }.diff();
    let place = "base stacks/deploy/dev.yaml:2, head stacks/deploy/dev.yaml:2";
    assert_eq!(lines(&diff), [format!("dev/box removed: {place}"), format!("test/box added: {place}")]);
}

/// The rules of findings with the places that annotations of GitHub have: `rule path:line`.
fn annotations(edit: &Edit) -> Vec<String> {
    let repo = edit.repo();
    let run = repo.run(&["diff", "base..HEAD", "--format", "github"]);
    let property = |line: &str, name: &str| {
        let rest = line.split_once(&format!("{name}="))?.1;
        Some(rest.split([',', ':']).next().unwrap_or_default().to_owned())
    };
    let place = |line: &str| {
        let at = property(line, ",line").map(|n| format!(":{n}")).unwrap_or_default();
        format!("{} {}{at}", property(line, "title").unwrap(), property(line, "file").unwrap())
    };
    run.stdout.lines().filter(|l| l.starts_with("::warning ") || l.starts_with("::error ")).map(place).collect()
}

#[test]
fn a_component_is_added_by_the_import_that_leads_to_it() {
    let catalog = |name: &str| format!("components: {{terraform: {{{name}: {{vars: {{a: 1}}}}}}}}\n");
    let (vpc, eks, rds) = (catalog("vpc"), catalog("eks"), catalog("rds"));
    let base = "vars: {stage: dev}\nimport:\n  # one\n  - catalog/vpc\n  # two\n  - catalog/eks\n";
    // `catalog/vpc` only moves: the same line is removed in one place and added in another one.
    let head = "vars: {stage: dev}\nimport:\n  # two\n  - catalog/eks\n  # one\n  - catalog/vpc\n  - catalog/rds\n";
    let files = |dev| {
        [
            ("stacks/catalog/vpc.yaml", &*vpc),
            ("stacks/catalog/eks.yaml", &*eks),
            ("stacks/catalog/rds.yaml", &*rds),
            ("stacks/deploy/dev.yaml", dev),
        ]
    };
    let added = Edit { files: &files(base), head: &[("stacks/deploy/dev.yaml", Some(head))] };
    assert_eq!(lines(&added.diff()), ["dev/rds added: head stacks/deploy/dev.yaml:7"]);
    let removed = Edit { files: &files(head), head: &[("stacks/deploy/dev.yaml", Some(base))] };
    assert_eq!(lines(&removed.diff()), ["dev/rds removed: base stacks/deploy/dev.yaml:7"]);
    assert_eq!(annotations(&removed), ["component-removed stacks/deploy/dev.yaml:5"]);
}

#[test]
fn a_value_is_changed_by_the_import_that_leads_to_it() {
    let files = [
        ("stacks/catalog/box.yaml", BOX),
        ("stacks/catalog/eu.yaml", "vars: {region: eu}\n"),
        ("stacks/catalog/us.yaml", "vars: {region: us}\n"),
        ("stacks/catalog/note.yaml", "settings: {note: 1}\n"),
        ("stacks/deploy/dev.yaml", "import:\n  - catalog/box\n  - catalog/eu\nvars: {stage: dev}\n"),
    ];
    let head = "import:\n  - catalog/note\n  - catalog/box\n  - catalog/us\nvars: {stage: dev}\n";
    let diff = Edit { files: &files, head: &[("stacks/deploy/dev.yaml", Some(head))] }.diff();
    let region = "dev/box /vars/region: base stacks/deploy/dev.yaml:3, head stacks/deploy/dev.yaml:4";
    assert_eq!(lines(&diff), ["dev/box /settings/note: head stacks/deploy/dev.yaml:2", region]);
}

#[test]
fn the_name_of_a_component_is_its_key_alone() {
    let base = "components:\n  terraform:\n    base:\n      metadata: {type: abstract}\n      vars:\n        name: \"{{ .atmos_component }}-x\"\n";
    let dev = "import: [catalog/base]\nvars: {stage: dev}\ncomponents:\n  terraform:\n    box:\n      metadata: {inherits: [base]}\n      vars:\n        size: 1\n";
    let (base_head, dev_head) = (base.replace("}}-x", "}}-y"), dev.replace("size: 1", "size: 2"));
    let diff = Edit {
        files: &[("stacks/catalog/base.yaml", base), ("stacks/deploy/dev.yaml", dev)],
        head: &[("stacks/catalog/base.yaml", Some(&base_head)), ("stacks/deploy/dev.yaml", Some(&dev_head))],
    }
    .diff();
    let name = "/vars/name: base stacks/catalog/base.yaml:6, head stacks/catalog/base.yaml:6";
    let size = "dev/box /vars/size: base stacks/deploy/dev.yaml:8, head stacks/deploy/dev.yaml:8";
    assert_eq!(lines(&diff), [format!("dev/base {name}"), format!("dev/box {name}"), size.to_owned()]);
}

#[test]
fn the_edit_that_decides_comes_first() {
    let atmos = format!("{}logs:\n  level: Info\n", crate::common::ATMOS);
    let debug = atmos.replace("Info", "Debug");
    let catalog = |name: &str| format!("components: {{terraform: {{{name}: {{vars: {{a: 1}}}}}}}}\n");
    let (vpc, eks) = (catalog("vpc"), catalog("eks"));
    let stack = |stage: &str| format!("import:\n  - catalog/vpc\n  - catalog/eks\nvars: {{stage: {stage}}}\n");
    let (dev, prod) = (stack("dev"), stack("prod"));
    let less = dev.replace("  - catalog/eks\n", "");
    let files = [
        ("atmos.yaml", &*atmos),
        ("stacks/catalog/vpc.yaml", &vpc),
        ("stacks/catalog/eks.yaml", &eks),
        ("stacks/deploy/dev.yaml", &dev),
        ("stacks/deploy/prod.yaml", &prod),
    ];
    let edit = Edit {
        files: &files,
        head: &[
            ("atmos.yaml", Some(&debug)),
            ("stacks/deploy/dev.yaml", Some(&less)),
            ("stacks/deploy/prod.yaml", None),
        ],
    };
    let gone = "base stacks/deploy/prod.yaml:1";
    let expected = [
        "dev/eks removed: base stacks/deploy/dev.yaml:3".to_owned(),
        format!("prod/eks removed: {gone}"),
        format!("prod/vpc removed: {gone}"),
    ];
    assert_eq!(lines(&edit.diff()), expected);
    let json = edit.diff();
    let finding =
        |rule: &str| json["diagnostics"].as_array().unwrap().iter().find(|d| d["rule"] == rule).unwrap().clone();
    let removed = finding("stack-removed");
    assert_eq!(
        (&removed["file"], &removed["line"], &removed["side"]),
        (&"stacks/deploy/prod.yaml".into(), &1.into(), &"base".into())
    );
    assert_eq!(removed.get("head_line"), Some(&Value::Null));
    assert_eq!(finding("component-removed")["head_line"], 3);
    assert_eq!(
        annotations(&edit),
        ["component-removed stacks/deploy/dev.yaml:3", "stack-removed stacks/deploy/prod.yaml"]
    );
    let repo = edit.repo();
    let run = |format: &str| repo.run(&["diff", "base..HEAD", "--format", format]);
    run("text").says("(stacks/deploy/prod.yaml:1:1)").says("`eks` in `dev` is removed");
    run("markdown").says("`stacks/deploy/prod.yaml:1`");
    let sarif = run("sarif").json();
    let regions: Vec<&Value> = sarif["runs"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| &r["locations"][0]["physicalLocation"]["region"])
        .collect();
    assert_eq!(regions, [&serde_json::json!({"startLine": 3}), &Value::Null]);
    let gitlab = run("gitlab").json();
    assert_eq!(
        gitlab[1]["location"],
        serde_json::json!({"path": "stacks/deploy/prod.yaml", "lines": {"begin": 1, "end": 1}})
    );
}

#[test]
fn a_stack_is_removed_by_the_setting_that_leaves_it_out() {
    let text = crate::common::ATMOS.replace("'deploy/**/*'", "'deploy/*'");
    let [dev, prod] = ["dev", "prod"].map(|stage| format!("vars: {{stage: {stage}}}\n{BOX}"));
    let edit = Edit {
        files: &[("stacks/deploy/x/dev.yaml", &dev), ("stacks/deploy/prod.yaml", &prod)],
        head: &[("atmos.yaml", Some(&text))],
    };
    assert_eq!(annotations(&edit), ["stack-removed atmos.yaml:2"]);
}

#[test]
fn a_moved_manifest_changes_only_what_names_it() {
    let dev = format!("vars:\n  stage: dev\n{BOX}");
    let diff = Edit {
        files: &[("stacks/deploy/dev.yaml", &dev)],
        head: &[("stacks/deploy/dev.yaml", None), ("stacks/deploy/eu/dev.yaml", Some(&dev))],
    }
    .diff();
    let found = lines(&diff);
    let paths: Vec<&str> = found.iter().filter_map(|l| l.split([' ', ':']).nth(1)).collect();
    assert_eq!(paths, ["/atmos_manifest", "/atmos_stack_file"], "{found:#?}");
}

#[test]
fn comments_and_layout_are_no_change() {
    let dev = format!("vars:\n  stage: dev\n{BOX}");
    let same = "# Comments\nvars: {stage: 'dev'}\n\ncomponents: {terraform: {box: {vars: {size: 0x1}}}}\n";
    let diff =
        Edit { files: &[("stacks/deploy/dev.yaml", &dev)], head: &[("stacks/deploy/dev.yaml", Some(same))] }.diff();
    assert_eq!(lines(&diff), [""; 0]);
}

#[test]
fn an_overridden_value_that_changes_is_no_change() {
    let dev = format!("{DEV}components:\n  terraform:\n    box:\n      vars:\n        size: 7\n");
    let diff = Edit {
        files: &[("stacks/catalog/box.yaml", BOX), ("stacks/deploy/dev.yaml", &dev)],
        head: &[("stacks/catalog/box.yaml", Some("components: {terraform: {box: {vars: {size: 99}}}}\n"))],
    }
    .diff();
    assert_eq!(lines(&diff), [""; 0]);
}

#[test]
fn one_edit_that_reaches_many_components_is_one_group() {
    let repo = Repo::atmos();
    let names: Vec<String> = (0..8).map(|i| format!("box{i}")).collect();
    let catalog: String = names.iter().map(|n| format!("    {n}:\n      metadata: {{inherits: [base]}}\n")).collect();
    let base = "components:\n  terraform:\n    base:\n      metadata: {type: abstract}\n      vars: {version: 1}\n";
    repo.write("stacks/catalog/all.yaml", format!("{base}{catalog}"));
    for stage in ["a", "b", "c", "d", "e"] {
        repo.write(
            &format!("stacks/deploy/{stage}.yaml"),
            format!("import: [catalog/all]\nvars: {{stage: {stage}}}\n"),
        );
    }
    repo.commit("base");
    repo.edit("stacks/catalog/all.yaml", "version: 1", "version: 2");
    let run = repo.run(&["diff"]).ends_with(0).says("1 change reaches 45 components in 5 stacks");
    assert_eq!(run.stdout.matches("1 → 2").count(), 1, "{run}");
    assert_eq!(run.stdout.matches("stacks/catalog/all.yaml").count(), 1, "{run}");
    assert!(run.stdout.lines().count() < 20, "{run}");
    let json = repo.run(&["diff", "--format", "json"]).json();
    assert_eq!(json["components"].as_array().unwrap().len(), 45);
}

#[test]
fn no_other_line_of_the_configuration_removes_a_component() {
    let repo = Repo::atmos();
    let extra = "components: {terraform: {extra: {vars: {a: 1}}}}\n";
    let dev = "import: [more]\nvars: {stage: dev}\ncomponents: {terraform: {vpc: {vars: {a: 1}}}}\n";
    repo.write("stacks/more.yaml", extra).write("stacks/deploy/dev.yaml", dev).commit("base");
    repo.write("stacks/deploy/prod.yaml", dev.replace("dev", "prod")).commit("base");
    // Every line of the configuration is an edited one.
    repo.write("atmos.yaml", crate::common::ATMOS.replace(": ", ":  "));
    let place = || {
        let json = repo.run(&["diff", "--format", "json"]).ends_with(1).json();
        let file = |one: &serde_json::Value| one["file"].as_str().expect("a file").to_owned();
        let removed = json["components"].as_array().expect("changes").iter().filter(|c| c["status"] == "removed");
        let causes = removed.flat_map(|change| change["causes"].as_array().expect("causes").iter().map(file));
        (file(&json["diagnostics"][0]), causes.collect::<std::collections::BTreeSet<_>>())
    };
    repo.edit("stacks/deploy/dev.yaml", "import: [more]\n", "");
    assert_eq!(place(), ("stacks/deploy/dev.yaml".to_owned(), ["stacks/deploy/dev.yaml".to_owned()].into()));
    repo.git(&["checkout", "--quiet", "stacks"]);
    repo.write("stacks/more.yaml", "vars: {}\n");
    assert_eq!(place(), ("stacks/more.yaml".to_owned(), ["stacks/more.yaml".to_owned()].into()));
    repo.git(&["checkout", "--quiet", "stacks"]);
    repo.remove("stacks/deploy/prod.yaml");
    assert_eq!(place(), ("stacks/deploy/prod.yaml".to_owned(), ["stacks/deploy/prod.yaml".to_owned()].into()));
}
