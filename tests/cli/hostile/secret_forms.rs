//! A secret is masked in whatever form it is written, in every report that people read.

use super::project;
use crate::common::Repo;
use std::fmt::Write as _;

/// Forms of secrets as lines of `vars`; `MARK` is the secret.
const SECRET: &[&str] = &[
    "password: MARK",
    "'db-password' : 'MARK'",
    "\"pass\\u0077ord\": MARK",
    "!!str passwd: MARK",
    "hash_password: '#MARK'",
    "tag_password: !!str MARK",
    "env_password: !env PW MARK",
    "literal_password: !literal MARK",
    "default_password: '{{ env \"PW\" | default \"MARK\" }}'",
    "coalesce_password: '{{ coalesce (env \"PW\") \"MARK\" }}'",
    "print_password: '{{ printf \"%s\" \"MARK\" }}'",
    "text_password: '{{ .vars.stage }}MARK{{ .vars.stage }}'",
    "comment_password: '{{/* MARK */}}{{ .vars.stage }}'",
    "store_password: !store prod vpc pw | default MARK",
    "list_passwords:\n        - MARK",
    "? apart_password\n        : MARK",
    "flow: { password: [\n     MARK ] }",
    "tight: {\"password\":\"MARK\"}",
    "lines_password: \"abc\n          MARK\n\n          x\"",
    "single_password: 'abc\n          MARK'",
    "plain_password: abc\n          MARK\n          def",
    "next_password: # note\n\n          MARK",
    "block_password: |\n          MARK",
    "folded_password: >-\n          a\n          MARK",
    "LONG",
    "credentials:\n          db: [{user: MARK}]",
    "env:\n        - name: DB_PASSWORD\n          a: b\n\n          c: d\n          e: f\n          g: h\n          i: j\n          k: l\n          m: n\n          o: p\n          value: MARK",
    "env_block:\n        - value: |\n            MARK\n          name: DB_PASSWORD",
    "parameters: [{ParameterKey: DbPassword, ParameterValue: MARK}]",
    "PGPASSWORD: MARK",
    "password1: MARK",
    "password_2: MARK",
    "db_pass: MARK",
    "headers: {Authorization: MARK}",
    "url: postgres://user:MARK@host/db",
    "url_of_address: 'postgres://me@corp.com:MARK@host/db'",
    "url_with_signs: \"postgres://user:it's#a/MARK@host/db\"",
    "url_in_lines: >-\n          redis://:MARK@host\n          more",
    "url_of_query: https://host/path?access_token=MARK&x=1",
    "dsn: Server=a;Password=MARK;Port=1",
    "quoted_dsn: \"Server=a;Password='MARK a';Port=1\"",
    "account: 'AccountName=a;AccountKey=MARK==;X=1'",
    "command: 'mysql --password MARK -h a'",
    "script: |\n          export DB_PASSWORD=\"MARK\"\n          export API_TOKEN=MARK",
    "values: |\n          db:\n            password: MARK",
    "json: '{\"password\": \"MARK\"}'",
    "escaped_json: \"{\\\"password\\\":\\\"MARK\\\"}\"",
    "header: 'X-Api-Key: MARK'",
    "bearer: 'Authorization: Bearer MARKabcdefghijk'",
    "copied: {password: &copied MARK, zone: *copied}",
    "copied_later: {zone: &later MARK, password: *later}",
    "copied_map: {zone: &map {user: MARK}, credentials: *map}",
    "read: {x: 'a{{ .settings.db.password }}'}",
    "encoded: {x: '{{ toJson .settings.db }}'}",
    "computed: {x: '{{ .settings.db.password | replace \"zq\" \"qz\" }}'}",
];

/// Values that are no secrets.
const PLAIN: &[&str] = &[
    "zone: MARK",
    "password_policy: MARK",
    "secret_name: MARK",
    "token_ttl: MARK",
    "url: https://host:8080/MARK@x",
    "note: 'the password: MARK is none'",
    "command: 'mysql -h MARK'",
    "options: {a: b=MARK}",
    "env: [{name: LEVEL, value: MARK}]",
    "hostname: {name: MARK, value: MARK}",
    "shared: {zone: &shared MARK, region: *shared}",
    "read: '{{ .settings.db.host }}'",
];

/// A mark in place of `MARK`, of a form and a state.
fn mark(form: usize, state: &str) -> String {
    format!("zq{state}{form}qz")
}

fn stack(forms: &[&str], state: &str) -> String {
    let mut text = String::from(
        "vars: {stage: dev}\ncomponents:\n  terraform:\n    box:\n      settings: {db: {host: @HOST, password: @SECRET}}\n      vars:\n",
    );
    for (i, form) in forms.iter().enumerate() {
        let long = format!("long_password: |\n{}          MARK", "          line\n".repeat(320));
        let form = form.replace("LONG", &long).replace("MARK", &mark(i, state));
        let _ = writeln!(text, "        v{i}:\n        {}", form.replace('\n', "\n  ").replacen("", "  ", 1));
    }
    text.replace("@HOST", &mark(forms.len() - 1, state)).replace("@SECRET", &format!("zq{state}password"))
}

/// What is said about a change of all forms.
fn said(forms: &[&str]) -> Vec<(String, String)> {
    let repo = project(&[]);
    repo.write("stacks/deploy/dev.yaml", stack(forms, "ONE")).commit("base");
    repo.write("stacks/deploy/dev.yaml", stack(forms, "TWO")).commit("head");
    all_said(&repo)
}

fn all_said(repo: &Repo) -> Vec<(String, String)> {
    let mut asked: Vec<Vec<&str>> = Vec::new();
    for format in ["text", "markdown", "concise", "github", "junit", "sarif", "gitlab"] {
        asked.push(vec!["diff", "HEAD~1..HEAD", "--all", "--format", format]);
        asked.push(vec!["check", "--all", "--format", format]);
    }
    asked.push(vec!["why", "dev", "box", "vars", "--all"]);
    asked.push(vec!["why", "HEAD~1..HEAD", "dev", "box", "vars", "--all"]);
    asked.push(vec!["describe", "component", "box", "-s", "dev"]);
    asked.push(vec!["describe", "component", "box", "-s", "dev", "--format", "concise"]);
    let run = |arguments: &Vec<&str>| {
        let run = repo.run(arguments);
        (arguments.join(" "), format!("{}{}", run.stdout, run.stderr))
    };
    let mut said: Vec<(String, String)> = asked.iter().map(run).collect();
    repo.run(&["report", "HEAD~1..HEAD", "--out", "page.html"]);
    said.push(("page".to_owned(), std::fs::read_to_string(repo.root().join("page.html")).unwrap()));
    said
}

#[test]
fn every_form_is_masked_in_every_report() {
    let said = said(SECRET);
    let mut leaks = String::new();
    // Others read what is written in the settings.
    for (i, form) in SECRET.iter().enumerate().filter(|(_, form)| form.contains("MARK") || form.contains("LONG")) {
        let shows = |text: &str| ["ONE", "TWO"].iter().any(|state| text.contains(&mark(i, state)));
        let shown: Vec<&str> = said.iter().filter(|(_, text)| shows(text)).map(|(by, _)| &**by).collect();
        if !shown.is_empty() {
            let _ = writeln!(leaks, "{form}: {shown:?}");
        }
    }
    let shows =
        |text: &str| ["zqONE", "zqTWO", "qzONE", "qzTWO"].iter().any(|mark| text.contains(&format!("{mark}password")));
    let read: Vec<&str> = said.iter().filter(|(_, text)| shows(text)).map(|(by, _)| &**by).collect();
    assert!(leaks.is_empty() && read.is_empty(), "{leaks}{read:?}");
    assert!(said[0].1.contains("(secret, changed)"), "{}", said[0].1);
}

#[test]
fn what_is_no_secret_is_shown() {
    let said = said(PLAIN);
    let diff = &said[0].1;
    for (i, form) in PLAIN.iter().enumerate() {
        assert!(diff.contains(&mark(i, "ONE")) && diff.contains(&mark(i, "TWO")), "{form}: {diff}");
    }
}

#[test]
fn templates_of_files_that_are_no_yaml_are_masked() {
    let repo = project(&[]);
    let text = |state: &str| {
        let template = "components:\n  terraform:\n    box:\n      vars:\n        {{ if .x }}\n        ? password\n        : MARK\n        passwords:\n        - MARK\n        {{ end }}\n        token: \"aa\n          MARK\"\n        secret: [\n      MARK]\n        url: 'http://{{ .x }}:MARK@{{ .x }}'\n";
        template.replace("MARK", &mark(0, state))
    };
    repo.write("stacks/deploy/dev.yaml", "import: [{path: catalog/a, context: {x: 1}}]\nvars: {stage: dev}\n");
    repo.write("stacks/catalog/a.yaml.tmpl", text("ONE")).commit("base");
    repo.write("stacks/catalog/a.yaml.tmpl", text("TWO")).commit("head");
    for (by, text) in all_said(&repo) {
        assert!(!text.contains(&mark(0, "ONE")) && !text.contains(&mark(0, "TWO")), "{by}: {text}");
    }
}

#[test]
fn messages_of_what_fails_quote_no_secret() {
    for form in ["z: '{{ mustToDate \"2006\" .settings.db.password }}'", "password: '{{ fail \"MARK\" }}'"] {
        let said = said(&[form]);
        for (by, text) in &said {
            let is_shown = ["ONE", "TWO"].iter().any(|state| text.contains(&mark(0, state)) && form.contains("MARK"));
            assert!(!is_shown && !text.contains("zqTWOpassword"), "{by}: {text}");
        }
        assert!(said[1].1.contains("error calling"), "{}", said[1].1);
    }
}
