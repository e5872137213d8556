//! `reference: atmos.md` section 7: the pass over a component.

use super::{Atmos, Dialect, Files, Scope, World, dev, json};
use serde_json::Value as Json;

/// `vars` of `box` after rendering; every string is single-quoted YAML.
#[track_caller]
fn vars(entries: &[(&str, &str)]) -> Json {
    world(entries).get("box")["vars"].clone()
}

fn world(entries: &[(&str, &str)]) -> World {
    let lines: String = entries.iter().map(|(k, v)| format!("        {k}: '{}'\n", v.replace('\'', "''"))).collect();
    dev(&format!(
        "settings: {{five: 5, e: e, word: a b, colon: 'x: y', hash: 'a #b', quote: \"it's\", lines: \"a\\nb\"}}\ncomponents:\n  terraform:\n    box:\n      vars:\n        num: 5\n{lines}"
    ))
}

#[test]
fn rendered_text_is_typed_by_how_it_starts() {
    for (template, expected) in [
        // Text that starts with a brace is quoted when it is written and stays text.
        ("{{ .vars.num }}", "'5'"),
        ("{{ eq 1 1 }}", "'true'"),
        ("{{ list 1 2 }}", "'[1 2]'"),
        ("{{ dict \"a\" 1 }}", "'map[a:1]'"),
        // All else is plain and read again.
        ("1{{ .vars.num }}", "15"),
        ("tru{{ .settings.e }}", "true"),
        ("nul{{ \"l\" }}", "null"),
        ("x{{ .vars.num }}", "x5"),
        ("0x{{ .vars.num }}", "'0x5'".trim_matches('\'')),
        ("a{{ .settings.hash }}", "aa"),
        ("{{ .settings.colon }}", "'x: y'"),
        ("{{ .settings.lines }}", "a b"),
    ] {
        assert_eq!(vars(&[("v", template)])["v"], json(expected), "{template}");
    }
}

#[test]
fn rendered_text_can_break_the_document() {
    for template in ["a{{ .settings.colon }}", "{{ .settings.quote }}", "a{{ .settings.lines }}"] {
        let findings = world(&[("fine", "x"), ("v", template)]).findings();
        assert_eq!(findings.len(), 1, "{template}: {findings:?}");
        assert!(findings[0].contains("stacks/deploy/dev.yaml:9"), "{template}: {findings:?}");
    }
}

/// Functions of sprig count bytes; a character cut in two is not valid YAML text.
#[test]
fn text_that_is_cut_inside_of_a_character_breaks_the_document() {
    assert_eq!(vars(&[("v", "{{ trunc 3 \"aéb\" }}")])["v"], "aé");
    for template in ["{{ trunc 2 \"aéb\" }}", "x{{ substr 0 2 \"aéb\" | trimSuffix \"-\" }}", "{{ b64dec \"/w==\" }}"]
    {
        let findings = world(&[("fine", "x"), ("v", template)]).findings();
        assert_eq!(findings.len(), 1, "{template}: {findings:?}");
        assert!(
            findings[0].contains("stacks/deploy/dev.yaml:9") && findings[0].contains("invalid UTF-8"),
            "{findings:?}"
        );
    }
}

#[test]
fn a_rendered_file_that_is_cut_inside_of_a_character_is_no_yaml() {
    let world =
        dev("locals: {a: aéb}\nsettings:\n  v: '{{ trunc 2 .locals.a }}'\ncomponents: {terraform: {box: {}}}\n");
    let findings = world.findings();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].contains("stacks/deploy/dev.yaml:4") && findings[0].contains("invalid UTF-8"), "{findings:?}");
}

#[test]
fn what_is_missing_has_no_value() {
    for (template, expected) in [
        ("{{ .vars.nope }}", "<no value>"),
        ("x{{ .vars.nope }}", "x<no value>"),
        ("{{ .vars.a.b.c }}", "<no value>"),
        ("{{ .nothing }}", "<no value>"),
        ("{{ .vars.nope | default \"d\" }}", "d"),
        ("{{ if .vars.nope }}a{{ else }}b{{ end }}", "b"),
    ] {
        assert_eq!(vars(&[("v", template)])["v"], expected, "{template}");
    }
    let findings = world(&[("v", "{{ .vars.stage.more }}")]).findings();
    assert!(findings.len() == 1 && findings[0].starts_with("template-error"), "{findings:?}");
}

#[test]
fn what_a_component_knows() {
    for (template, expected) in [
        ("{{ .atmos_component }}", "box"),
        ("{{ .atmos_stack }}/{{ .stack }}/{{ .workspace }}", "dev/dev/dev"),
        ("{{ .atmos_stack_file }} {{ .atmos_manifest }}", "deploy/dev deploy/dev"),
        ("{{ .component }} {{ .command }}", "box terraform"),
        ("{{ .settings.e }}{{ .env }}", "emap[]"),
        ("{{ len .inheritance }}", "0"),
        ("{{ .component_info.component_path }}", "components/terraform/box"),
    ] {
        assert_eq!(vars(&[("v", template)])["v"], expected, "{template}");
    }
}

#[test]
fn one_evaluation_renders_once() {
    let chain = [("a", "{{ .vars.b }}"), ("b", "{{ .vars.c }}"), ("c", "end")];
    assert_eq!(vars(&chain)["a"], "{{ .vars.c }}");
    let thrice = world(&chain).set("enabled: true, sprig", "enabled: true, evaluations: 3, sprig");
    assert_eq!(thrice.get("box")["vars"]["a"], "end");
    let never = world(&chain).set("enabled: true, sprig", "enabled: true, evaluations: -1, sprig");
    assert_eq!(never.get("box")["vars"]["a"], "{{ .vars.b }}");
}

#[test]
fn other_delimiters() {
    let world = world(&[("a", "[[ .vars.stage ]]"), ("b", "{{ .vars.stage }}")]);
    let found = world.set("enabled: true, sprig", "enabled: true, delimiters: ['[[', ']]'], sprig").get("box");
    assert_eq!((&found["vars"]["a"], &found["vars"]["b"]), (&json("dev"), &json("'{{ .vars.stage }}'")));
}

#[test]
fn delimiters_are_two() {
    for delimiters in ["'[['", "['[[']", "5"] {
        let world = world(&[("a", "x")])
            .set("enabled: true, sprig", &format!("enabled: true, delimiters: {delimiters}, sprig"));
        world.fails(&["invalid-config", "delimiters"]);
    }
}

#[test]
fn templates_can_be_off() {
    let off = world(&[("a", "{{ .vars.stage }}")]).set("enabled: true, sprig", "enabled: false, sprig");
    assert_eq!(off.get("box")["vars"]["a"], "{{ .vars.stage }}");
    let silent = World::new()
        .file(
            "atmos.yaml",
            "base_path: .\nstacks: {base_path: stacks, included_paths: ['deploy/**/*'], name_pattern: '{stage}'}\n",
        )
        .stack("deploy/dev.yaml", "vars: {stage: dev, a: '{{ .x }}'}\ncomponents: {terraform: {box: {}}}\n");
    assert_eq!(silent.get("box")["vars"]["a"], "{{ .x }}");
}

#[test]
fn function_tables_can_be_off() {
    let upper = world(&[("a", "{{ upper .vars.stage }}")]);
    assert_eq!(upper.get("box")["vars"]["a"], "DEV");
    upper.clone().set("sprig: {enabled: true}", "sprig: {enabled: false}").fails(&["template-error", "upper"]);
    let gomplate = world(&[("a", "{{ strings.ToUpper .vars.stage }}")]);
    assert_eq!(gomplate.get("box")["vars"]["a"], "DEV");
    gomplate.set("gomplate: {enabled: true}", "gomplate: {enabled: false}").fails(&["template-error", "strings"]);
}

#[test]
fn mistakes_are_found_at_their_line() {
    for template in ["{{ nope }}", "{{ end }}", "{{ if }}", "{{ fail \"no\" }}"] {
        let findings = world(&[("fine", "{{ .vars.stage }}"), ("v", template)]).findings();
        assert_eq!(findings.len(), 1, "{template}: {findings:?}");
        assert!(findings[0].starts_with("template-error stacks/deploy/dev.yaml:9"), "{template}: {findings:?}");
    }
}

#[test]
fn keys_are_rendered_and_names_are_not() {
    let world = dev("components: {terraform: {box: {vars: {'k-{{ .vars.stage }}': 1}}, '{{ .vars.stage }}': {}}}\n");
    assert_eq!(world.get("box")["vars"], json("{stage: dev, k-dev: 1}"));
    assert_eq!(world.names(), ["dev/box", "dev/{{ .vars.stage }}"]);
}

#[test]
fn functions_of_yaml_keep_their_text_with_templates_in_it_rendered() {
    let world = dev(
        "components: {terraform: {box: {vars: {a: !env 'X-{{ .vars.stage }}', b: !literal '{{ .vars.stage }}'}}}}\n",
    );
    assert_eq!(world.get("box")["vars"], json("{stage: dev, a: '!env X-dev', b: dev}"));
}

#[test]
fn what_only_the_run_time_knows_stays_as_it_is_written() {
    let found = world(&[("a", "{{ env \"HOME\" }}"), ("b", "{{ now }}"), ("c", "{{ .vars.stage }}")]).get("box");
    assert_eq!(found["vars"]["c"], "dev");
    // The variable is treated as not set, in what is printed; the clock has no such value.
    assert_eq!(found["vars"]["a"], "");
    assert!(found["vars"]["b"].as_str().unwrap().contains("{{"), "{found:#}");
}

#[test]
fn templates_that_never_end() {
    let loops = [
        "{{ define \"t\" }}{{ template \"t\" }}{{ end }}{{ template \"t\" }}",
        "{{ range untilStep 0 1000000000 1 }}x{{ end }}",
        "{{ repeat 1000000000 \"xxxxxxxxxx\" }}",
    ];
    for template in loops {
        let world = world(&[("v", template)]);
        let said = !world.findings().is_empty();
        let kept = || world.get("box")["vars"]["v"] == template;
        assert!(said || kept(), "{template}");
    }
}

#[test]
fn origins_survive_several_evaluations() {
    let text = "\
components:
  terraform:
    box:
      vars:
        a: '{{ .vars.long }} {{ .vars.long }}'
        b: '{{ .vars.a }}!'
        c: 'x{{ .stack }}'
        long: a text that is longer than the action that reads it
";
    let world = dev(text).atmos("").set("{enabled: true, sprig", "{enabled: true, evaluations: 3, sprig");
    let files = Files::default();
    let source = crate::source::Memory::new("memory", world.files.clone());
    let resolution = Atmos::new().resolve(&source, &world.project, &files, Scope::All);
    let components = resolution.components();
    let vars = components.values().next().unwrap().component.value.get("vars").unwrap().clone();
    for key in ["a", "b", "c", "long"] {
        let origin = vars.get(key).unwrap().prov.origin.unwrap();
        let file = files.get(origin.file);
        assert!(file.text[origin.key as usize..].starts_with(&format!("{key}:")), "{key}: {}", file.line(origin.key));
    }
}
