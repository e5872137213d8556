use super::*;

const RUN: &str = "kind: Run\nname: x\ntype: exec\nspec: {command: ";

fn run(command: &str) -> String {
    format!("{RUN}{command}}}\n")
}

#[test]
fn layers_from_low_to_high() {
    let world = World::with(
        "kind: Run\nname: x\ntype: exec\nvarfiles: [x.env]\nvariables: {c: action, d: action, e: action}\n\
         spec: {command: ['${var.a}', '${var.b}', '${var.c}', '${var.d}', '${var.e}']}\n",
    )
    .file("garden.env", "a=file\nb=file\nc=file\n")
    .file("garden.dev.env", "b=devfile\nc=devfile\n")
    .file("a/x.env", "d=actionfile\ne=actionfile\n")
    .var("e", "cli");
    assert_eq!(world.command(), json!(["file", "devfile", "action", "actionfile", "cli"]));
    assert!(world.findings().is_empty());
}

#[test]
fn where_a_layer_and_the_one_below_have_a_name_the_one_below_counts() {
    let project = PROJECT.replace("region: eu", "suffix: project, hello: 'x ${var.suffix}', list: [1, 2, 3]");
    let world = World::of(&project).file(
        "garden.yml",
        "kind: Run\nname: x\ntype: exec\nvariables: {suffix: action, hi: 'hi ${var.suffix}', list: [9], self: '${var.self}'}\n\
         spec: {command: ['${var.hi}', '${var.hello}', '${jsonEncode(var.list)}', '${var.self || 1}', '${var.suffix}']}\n",
    );
    let command = world.command();
    assert_eq!(command, json!(["hi project", "x project", "[9,2,3]", 1, "action"]), "{:?}", world.findings());
}

#[test]
fn variables_of_the_command_line_replace_dotted_names_or_parts() {
    let project = PROJECT.replace("region: eu", "a: {b: [1, 2], c: 3}, 'x.y': 1");
    let world = World::of(&project)
        .file("garden.yml", &run("['${jsonEncode(var.a)}', '${var[\"x.y\"]}']"))
        .var("a.b[1]", "new")
        .var("x.y", "2");
    assert_eq!(world.command(), json!([r#"{"b":[1,"new"],"c":3}"#, "2"]));
}

#[test]
fn what_a_running_system_knows_stays() {
    let world = World::with(&run(
        "['${git.branch}', 'a-${var.region}-${secrets.token}', '${local.env.HOME || 1}', '${uuidv4()}', '${environment.fullName}']",
    ));
    assert_eq!(
        world.command(),
        json!(["${git.branch}", "a-eu-${secrets.token}", "${local.env.HOME || 1}", "${uuidv4()}", "default.dev"])
    );
    let rules: Vec<String> = world.findings().iter().map(|f| f.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(rules, ["garden-secret-reference", "garden-impure"]);
}

#[test]
fn values_know_their_lines() {
    let world = World::with(&run("['${var.stage}-${var.region}']"));
    let lines = world.lines("dev", "run.x", &["spec", "command", "0"]);
    assert_eq!(lines, ["a/garden.yml:4", "project.garden.yml:6", "project.garden.yml:11"]);
}

/// Whether a value or anything that it was computed from replaced another value.
fn replaced(prov: &crate::value::Prov) -> bool {
    prov.overrode().is_some() || prov.trail.as_ref().is_some_and(|trail| trail.inputs().iter().any(replaced))
}

#[test]
fn a_variable_replaces_what_is_below_it_and_not_what_its_reader_has() {
    let project = PROJECT.replace("region: eu", "suffix: project, hello: 'x ${var.suffix}', stage: below");
    let world = World::of(&project).file(
        "garden.yml",
        "kind: Run\nname: x\ntype: exec\nvariables: {suffix: action}\n\
         spec: {command: ['${var.hello}', '${var.suffix}', '${var.stage}']}\n",
    );
    let files = Files::default();
    let resolution = world.resolve(&files);
    let placed = &resolution.components()[&("dev".into(), "run".into(), "x".into())];
    let command = placed.component.value.get("spec").and_then(|spec| spec.get("command")).unwrap().as_list().unwrap();
    let all: Vec<(&str, bool)> = command.iter().map(|v| (v.as_str().unwrap(), replaced(&v.prov))).collect();
    assert_eq!(all, [("x project", false), ("action", true), ("dev", true)]);
}

#[test]
fn a_broken_variable_breaks_its_environment_alone() {
    let project = PROJECT.replace("stage: prod,", "stage: '${var.absent}',");
    let world = World::of(&project).file("garden.yml", &run("[a]"));
    assert_eq!(world.findings(), ["undefined-reference project.garden.yml:8 Could not find key absent under var"]);
    assert_eq!(world.command(), json!(["a"]));
}

#[test]
fn imported_variables_are_text() {
    let project =
        PROJECT.replace("variables: {region: eu}", "importVariables:\n  - {from: file, path: v.json, format: json}\n");
    let world = World::of(&project)
        .file("v.json", r#"{"n": 1, "nothing": null, "o": {"a": [1]}}"#)
        .file("garden.yml", &run("['${imported.n}', '${secrets.o}', '[${imported.nothing}]']"));
    assert_eq!(world.command(), json!(["1", r#"{"a":[1]}"#, "[]"]));
}

#[test]
fn projects_for_an_older_garden_have_its_language_and_an_error() {
    let project = PROJECT.replace("garden.io/v2", "garden.io/v1");
    let world = World::of(&project).file("garden.yml", &run("['a${var.absent}?', '$${b}']"));
    assert_eq!(world.command(), json!(["a", "${b}"]));
    let findings = world.findings();
    assert!(findings.len() == 1 && findings[0].starts_with("invalid-config project.garden.yml:1"), "{findings:?}");
}

#[test]
fn a_varfile_that_is_not_known_may_set_what_nothing_else_sets() {
    let project =
        |varfile: &str| PROJECT.replace("region: eu}", &format!("region: eu, m: {{a: one}}}}\nvarfile: {varfile}"));
    let action =
        "kind: Run\nname: x\ntype: exec\nVARFILESspec: {command: ['${var.region}', '${var.m.a}', '${var.zone}']}\n";
    let of_project = [("'vars.${local.username}.yml'", ""), ("'${local.env.F || \"vars.a.yml\"}'", "")];
    let of_action =
        [("vars.a.yml", "varfiles: ['../${local.env.F}']\n"), ("vars.a.yml", "varfiles: [{path: '${local.env.F}'}]\n")];
    for (varfile, varfiles) in of_project.into_iter().chain(of_action) {
        let world = |text: &str| {
            let world = World::of(&project(varfile)).file("a/garden.yml", &action.replace("VARFILES", varfiles));
            world.file("vars.a.yml", text)
        };
        let zone = world("other: 1\n");
        assert_eq!(zone.command(), json!(["eu", "one", "${var.zone}"]), "{varfile} {varfiles}");
        let found = zone.findings();
        assert!(found.iter().all(|f| f.starts_with("incomplete-analysis")) && !found.is_empty(), "{found:?}");
        if varfiles.is_empty() {
            // The file that it may be is a part of the value.
            let command = |world: World| {
                let placed = world.resolve(&Files::default()).components();
                let run = placed.into_values().find(|p| &*p.component.name == "x" && &*p.component.stack == "dev");
                run.unwrap().component.value.get("spec").unwrap().clone()
            };
            assert_eq!(command(world("other: 1\n")), command(world("other: 1\n")));
            assert_ne!(command(world("other: 1\n")), command(world("other: 2\n")));
        }
    }
    let named = World::of(&project("vars.a.yml")).file("a/garden.yml", &action.replace("VARFILES", ""));
    let found = named.file("vars.a.yml", "other: 1\n").findings();
    assert!(found.iter().any(|f| f.contains("zone")), "{found:?}");
}

#[test]
fn defaults_of_environments_before_garden_0_14() {
    let old = "kind: Project\nname: shop\nenvironments: [{name: dev}]\nvariables: {a: project, m: {x: 1}}\n\
               environmentDefaults: {providers: [{name: exec}], variables: {a: default, b: default, m: {y: 2}}}\n";
    let world = World::of(old).file("garden.yml", &run("['${var.a}', '${var.b}', '${jsonEncode(var.m)}']"));
    assert_eq!(world.command(), json!(["project", "default", "{\"y\":2,\"x\":1}"]), "{:?}", world.findings());
}
