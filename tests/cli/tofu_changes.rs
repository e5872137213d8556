//! What a change does to the instances of resources: other addresses, removals, protection, providers, defaults; and what is
//! wrong with those that have no instances.

use crate::common::{Repo, Run};
use serde_json::Value;

const ROOT: &str = "provider \"aws\" {}\n\n";

/// The difference between two states of the files of a root module.
fn diff(base: &[(&str, &str)], head: &[(&str, &str)]) -> (Run, Value) {
    let repo = Repo::new();
    for (commit, files) in [("base", base), ("head", head)] {
        for (path, text) in files {
            let start = if *path == "main.tf" { ROOT } else { "" };
            repo.write(path, format!("{start}{text}"));
        }
        repo.commit(commit);
    }
    let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).json();
    (repo.run(&["diff", "HEAD~1..HEAD"]), json)
}

/// The dangers of a difference: rule and message.
fn dangers(json: &Value) -> Vec<(String, String)> {
    let text = |finding: &Value, name: &str| finding[name].as_str().unwrap_or_default().to_owned();
    let all = json["diagnostics"].as_array().unwrap().iter();
    all.filter(|f| f["danger"] == true).map(|f| (text(f, "rule"), text(f, "message"))).collect()
}

#[test]
fn layout_and_comments_of_what_is_not_known_are_no_change() {
    let text = |list: &str, object: &str| {
        format!(
            "module \"m\" {{\n  source = \"x/y/z\"\n  p = {list}\n}}\nlocals {{\n  o = {object}\n}}\n\
             resource \"aws_y\" \"c\" {{\n}}\nresource \"aws_x\" \"b\" {{\n  p = {list}\n  q = module.m.q\n  r = local.o\n}}\n"
        )
    };
    let base = text("[\"a\",aws_y.c.id]", "{\n    # old\n    a = aws_y.c.id\n  }");
    let layout = text("[\n    \"a\", # the first\n    aws_y.c.id,\n  ]", "{\n    a   = aws_y.c.id // new\n  }");
    diff(&[("main.tf", &base)], &[("main.tf", &layout)]).0.says("No effective change.");
    let other = text("[\"a\", aws_y.c.arn]", "{\n    a = aws_y.c.id\n  }");
    diff(&[("main.tf", &base)], &[("main.tf", &other)])
        .0
        .says("aws_y.c.arn")
        .says("module.m")
        .hides("No effective change");
    // A text that is nothing but a reference is that reference.
    let quoted = text("[\"a\", \"${aws_y.c.id}\"]", "{\n    a = \"${ aws_y.c.id }\"\n  }");
    diff(&[("main.tf", &base)], &[("main.tf", &quoted)])
        .0
        .says("No change of configuration; 1 root module runs different");
    // A file that says nothing.
    diff(&[("main.tf", &base)], &[("main.tf", &base), ("c.tf", "# resource \"a\" \"b\" {}\n")])
        .0
        .says("No effective change.");
    diff(&[("main.tf", &base)], &[("main.tf", &base), ("c.tf", "locals {\n  b = 1\n}\n")])
        .0
        .hides("No effective change.");
}

#[test]
fn the_order_of_entries_of_what_is_not_known_is_no_change() {
    let text = |object: &str| {
        let call = format!("jsonencode({object})");
        format!(
            "resource \"aws_y\" \"c\" {{\n}}\nlocals {{\n  o = {call}\n}}\nresource \"aws_x\" \"b\" {{\n  p = {call}\n  q = local.o\n}}\n\
             output \"o\" {{\n  value = [{call}, local.o]\n}}\n"
        )
    };
    let base = text("{\n    a = aws_y.c.id\n    b = [1, 2]\n  }");
    let sorted = text("{\n    b = [1, 2]\n    a = aws_y.c.id\n  }");
    diff(&[("main.tf", &base)], &[("main.tf", &sorted)]).0.says("No effective change.");
    let other = text("{\n    b = [2, 1]\n    a = aws_y.c.id\n  }");
    diff(&[("main.tf", &base)], &[("main.tf", &other)]).0.says("aws_x.b").hides("No effective change");
}

#[test]
fn other_addresses_are_one_statement() {
    let counted = "resource \"aws_instance\" \"web\" {\n  count = 12\n  ami   = \"a\"\n}\n";
    let keyed = "resource \"aws_instance\" \"web\" {\n  for_each = toset([for i in range(12) : \"n${i}\"])\n  ami      = \"a\"\n}\n";
    let renamed = counted.replace("\"web\"", "\"app\"");
    let store =
        "resource \"aws_s3_bucket\" \"a\" {\n  bucket = \"a\"\n}\n\nresource \"aws_vpc\" \"b\" {\n  cidr = \"b\"\n}\n";
    let call = |name: &str| format!("module \"{name}\" {{\n  source = \"./store\"\n}}\n");
    type Files<'a> = &'a [(&'a str, &'a str)];
    let rows: [(Files<'_>, Files<'_>, usize); 3] = [
        (&[("main.tf", counted)], &[("main.tf", keyed)], 12),
        (&[("main.tf", counted)], &[("main.tf", &renamed)], 12),
        (&[("main.tf", &call("old")), ("store/main.tf", store)], &[("main.tf", &call("new"))], 2),
    ];
    for (base, head, number) in rows {
        let (run, json) = diff(base, head);
        let message = format!(
            "{number} resources in 1 root module get another address: they are destroyed and created unless `moved` says otherwise"
        );
        assert_eq!(dangers(&json), [("component-renamed".to_owned(), message)], "{run}");
        assert!(run.stdout.contains(&format!("{number} resources get another address")), "{run}");
    }
}

#[test]
fn what_stays_is_no_danger() {
    let vpc = |name: &str| format!("resource \"aws_vpc\" \"{name}\" {{\n  cidr = \"10.0.0.0/16\"\n}}\n");
    let (old, new) = (vpc("old"), vpc("new"));
    let moved = format!("{new}\nmoved {{\n  from = aws_vpc.old\n  to   = aws_vpc.new\n}}\n");
    let removed = "removed {\n  from = aws_vpc.old\n  lifecycle {\n    destroy = false\n  }\n}\n";
    let imported = format!("{new}\nimport {{\n  to = aws_vpc.new\n  id = \"vpc-1\"\n}}\n\n{removed}");
    let counted = old.replace("cidr", "count = 1\n  cidr ");
    for head in [moved.as_str(), removed, &imported, &counted] {
        let (run, json) = diff(&[("main.tf", &old)], &[("main.tf", head)]);
        assert_eq!(dangers(&json), [], "{head}\n{run}");
    }
    // A module that is released releases everything in it.
    let call = "module \"m\" {\n  source = \"./m\"\n}\n";
    let released = "removed {\n  from = module.m\n  lifecycle {\n    destroy = false\n  }\n}\n";
    let (run, json) = diff(&[("main.tf", call), ("m/main.tf", &old)], &[("main.tf", released)]);
    assert_eq!(dangers(&json), [], "{run}");
    // Resources of another type are not the same ones.
    let other = new.replace("aws_vpc", "aws_subnet");
    let (run, json) = diff(&[("main.tf", &old)], &[("main.tf", &other)]);
    assert_eq!(dangers(&json)[0].0, "component-removed", "{run}");
}

#[test]
fn an_instance_that_goes_is_caused_by_its_key() {
    let text = |keys: &str| {
        format!(
            "locals {{\n  names = toset([\n    \"a\",\n{keys}  ])\n}}\n\nresource \"aws_s3_bucket\" \"x\" {{\n  for_each = local.names\n  bucket   = \"b\"\n}}\n"
        )
    };
    let (run, json) = diff(&[("main.tf", &text("    \"b\",\n"))], &[("main.tf", &text(""))]);
    let message = "`aws_s3_bucket.x[\"b\"]` in `.` is removed, and the next run destroys it".to_owned();
    assert_eq!(dangers(&json), [("component-removed".to_owned(), message)], "{run}");
    assert_eq!(json["components"][0]["causes"][0]["line"], 6, "{run}");
}

#[test]
fn one_edit_of_a_module_is_one_change() {
    let repo = Repo::new();
    let main = format!("{ROOT}module \"net\" {{\n  source = \"../net\"\n}}\n");
    for root in ["a", "b", "c"] {
        repo.write(&format!("{root}/main.tf"), &main);
    }
    let net = |size: u8| format!("resource \"aws_subnet\" \"x\" {{\n  count = 4\n  size  = {size}\n}}\n");
    repo.write("net/main.tf", net(1)).commit("base");
    repo.write("net/main.tf", net(2)).commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]);
    assert!(
        run.stdout.contains("1 change reaches 12 components in 3 stacks; 12 resources in 3 root modules change"),
        "{run}"
    );
    assert_eq!(run.stdout.matches("~ size").count(), 1, "{run}");
}

#[test]
fn resources_without_instances_are_validated() {
    let main = "variable \"n\" {\n  default = \"x\"\n}\n\nresource \"aws_a\" \"zero\" {\n  count = 0\n  a     = nope(\"x\")\n  b     = tonumber(\"abc\")\n  c     = tonumber(var.n)\n  d     = aws_a.empty[\"x\"].id\n}\n\nresource \"aws_a\" \"empty\" {\n  for_each = {}\n  a        = each.value.x\n  b        = upper(\"a\", \"b\")\n}\n\nmodule \"off\" {\n  source = \"./off\"\n  count  = 0\n}\n";
    let repo = Repo::new();
    repo.write("main.tf", format!("{ROOT}{main}"))
        .write("off/main.tf", "output \"x\" {\n  value = tonumber(\"zzz\")\n}\n");
    repo.commit("base");
    let json = repo.run(&["check", "--format", "json"]).json();
    let place = |f: &Value| format!("{}:{}", f["file"].as_str().unwrap_or_default(), f["line"]);
    let found: Vec<String> = json["diagnostics"].as_array().unwrap().iter().map(place).collect();
    assert_eq!(found, ["main.tf:9", "main.tf:10", "main.tf:18", "off/main.tf:2"], "{json}");
}

#[test]
fn graphs_have_what_resources_read() {
    let repo = Repo::new();
    let main = "resource \"aws_vpc\" \"v\" {}\n\nmodule \"m\" {\n  source = \"./m\"\n}\n\nresource \"aws_subnet\" \"s\" {\n  count = 2\n  vpc   = aws_vpc.v.id\n  name  = module.m.name\n}\n";
    let inner = "resource \"a_b\" \"c\" {}\n\noutput \"name\" {\n  value = a_b.c.id\n}\n\ndata \"a_b\" \"d\" {\n  x = [a_b.c.id]\n}\n";
    repo.write("main.tf", format!("{ROOT}{main}")).write("m/main.tf", inner).commit("base");
    let json = repo.run(&["graph", "references", "--format", "json"]).json();
    let edge =
        |e: &Value| format!("{} {}", e["from"].as_str().unwrap_or_default(), e["to"].as_str().unwrap_or_default());
    let edges: Vec<String> = json["edges"].as_array().unwrap().iter().map(edge).collect();
    let expected = [
        "./data/module.m.data.a_b.d ./resource/module.m.a_b.c",
        "./resource/aws_subnet.s[0] ./module/m",
        "./resource/aws_subnet.s[0] ./resource/aws_vpc.v",
        "./resource/aws_subnet.s[1] ./module/m",
        "./resource/aws_subnet.s[1] ./resource/aws_vpc.v",
    ];
    assert_eq!(edges, expected, "{json}");
}

#[test]
fn protection_that_is_not_known_is_not_there() {
    let store = |protection: &str| {
        let lifecycle = format!("  lifecycle {{\n    prevent_destroy = {protection}\n  }}\n");
        format!("variable \"keep\" {{\n  type = bool\n}}\n\nresource \"aws_s3_bucket\" \"a\" {{\n{lifecycle}}}\n")
    };
    let danger = |to: &str| dangers(&diff(&[("main.tf", &store("true"))], &[("main.tf", &store(to))]).1);
    let of = |words: &str| vec![("destroy-protection-removed".to_owned(), format!("`aws_s3_bucket.a` in `.` {words}"))];
    assert_eq!(danger("false"), of("is no longer protected, and may be destroyed"));
    assert_eq!(danger("var.keep"), of("may no longer be protected: that is known only at run time"));
    assert_eq!(danger("!false"), []);
}

#[test]
fn a_version_that_silences_findings_fails_a_change_that_brings_it() {
    let main = |version: &str, size: &str| {
        format!(
            "terraform {{\n  required_version = \"{version}\"\n  backend \"s3\" {{}}\n}}\nresource \"vm\" \"a\" {{\n  size = {size}\n}}\n"
        )
    };
    let repo = Repo::new();
    repo.write("main.tf", main(">= 1.5", "1")).commit("base");
    repo.write("main.tf", main("~> 0.12", "tonumber(\"x\")")).commit("old");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).complains("incomplete-analysis in main.tf:2");
    // What was silent before is known.
    repo.write("main.tf", main("~> 0.13", "2")).commit("another one");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
}

#[test]
fn a_file_for_a_backend_counts_where_the_backend_leaves_its_arguments_out() {
    let repo = Repo::new();
    let root =
        |backend: &str| format!("terraform {{\n  backend \"s3\" {{\n{backend}  }}\n}}\nresource \"a_b\" \"c\" {{}}\n");
    repo.write("live/main.tf", root("    key = \"k\"\n"))
        .write("whole/main.tf", root("    bucket = \"b\"\n    key = \"k\"\n"));
    repo.write("live/prod.s3.tfbackend", "bucket = \"one\"\n")
        .write("config/backend-prod.hcl", "bucket = \"one\" # first\n");
    repo.write("live/backend/prod.hcl", "bucket = \"one\"\n").write("backend/app.conf", "listen = 80\n");
    repo.write("backend/terragrunt.hcl", "inputs = {\n  size = 1\n}\n");
    repo.write("units/backend.hcl", "remote_state {\n  backend = \"s3\"\n}\n").commit("base");
    for (path, old, new, is_told) in [
        ("live/prod.s3.tfbackend", "one", "two", true),
        ("config/backend-prod.hcl", "one", "two", true),
        ("live/backend/prod.hcl", "one", "two", true),
        ("config/backend-prod.hcl", "first", "second", false),
        ("units/backend.hcl", "s3", "gcs", false),
    ] {
        repo.edit(path, old, new).commit("edit");
        let status = if is_told { 3 } else { 0 };
        let run = repo.run(&["diff", "HEAD^..HEAD", "--exit-code"]).ends_with(status);
        assert_eq!(run.stdout.contains("1 backend file differs"), is_told, "{path}: {run}");
        assert_eq!(run.stdout.contains("No effective change"), !is_told, "{path}: {run}");
        let run = repo.run(&["diff", "HEAD^..HEAD", "--format", "matrix"]).ends_with(0);
        assert_eq!(run.stdout.contains("\"live\""), is_told, "{path}: {run}");
        assert!(!run.stdout.contains("whole"), "{path}: {run}");
    }
    // An application may be called so.
    for (path, old, new) in [("backend/app.conf", "80", "81"), ("backend/terragrunt.hcl", "1", "2")] {
        repo.edit(path, old, new).commit("edit");
        let run = repo.run(&["diff", "HEAD^..HEAD"]);
        assert!(!run.stdout.contains("backend file"), "{path}: {run}");
    }
}

#[test]
fn what_is_taken_out_of_a_nested_block_is_told_once() {
    let repo = Repo::new();
    let block = "  backend \"s3\" {\n    key    = \"k\"\n    region = \"r\"\n  }\n";
    repo.write("main.tf", format!("terraform {{\n{block}}}\nresource \"a_b\" \"c\" {{}}\n")).commit("base");
    repo.edit("main.tf", "    region = \"r\"\n", "").commit("edit");
    for range in ["HEAD^..HEAD", "HEAD..HEAD^"] {
        let run = repo.run(&["diff", range]).ends_with(1).says("region");
        assert!(!run.stdout.contains("runs different code"), "{range}: {run}");
    }
    // What changes beside it is another edit.
    repo.edit("main.tf", "    key    = \"k\"\n", "").edit(
        "main.tf",
        "terraform {\n",
        "terraform {\n  experiments = []\n",
    );
    repo.commit("two edits");
    repo.run(&["diff", "HEAD^..HEAD"]).ends_with(1).says("runs different code");
}

#[test]
fn a_provider_whose_place_is_not_known_may_act_somewhere_else() {
    let repo = Repo::new();
    let provider = "provider \"aws\" {\n  region = var.region\n}\n";
    let variable = "variable \"region\" {\n  default = \"eu-west-1\"\n}\n";
    repo.write("main.tf", format!("{provider}{variable}")).commit("base");
    repo.edit("main.tf", "  default = \"eu-west-1\"\n", "").commit("no default");
    repo.run(&["diff", "HEAD^..HEAD"]).ends_with(1).says("may act somewhere else: `region` `eu-west-1`");
    repo.edit("main.tf", "var.region", "\"eu-west-2\"").commit("another one");
    repo.run(&["diff", "HEAD~2..HEAD"]).ends_with(1).says("`.` acts somewhere else: `region`");
}

#[test]
fn paths_that_begin_with_a_name_are_followed_as_far_as_they_are_known() {
    let repo = Repo::new();
    repo.write(
        "live/main.tf",
        "terraform {\n  backend \"s3\" {}\n}\nlocals {\n  top = \"${path.root}/..\"\n}\nvariable \"tag\" {}\n",
    )
    .write(
        "live/jobs.tf",
        "resource \"a_job\" \"j\" {\n  for_each = toset([\"x\", \"y\"])\n  \
             text     = \"${var.tag} ${file(\"${local.top}/jobs/${each.key}.json\")}\"\n}\n",
    )
    .write("jobs/x.json", "1\n")
    .write("jobs/y.json", "2\n")
    .write("other/z.json", "3\n")
    .commit("base");
    // What is beside the code is not meant.
    repo.edit("live/main.tf", "variable", "# a comment\nvariable").commit("comment");
    repo.run(&["diff", "HEAD^..HEAD"]).ends_with(0).says("No effective change");
    repo.edit("other/z.json", "3", "4").commit("another file");
    repo.run(&["diff", "HEAD^..HEAD"]).ends_with(0).hides("a_job.j");
    // What begins like this is.
    repo.edit("jobs/x.json", "1", "5").commit("a job");
    repo.run(&["diff", "HEAD^..HEAD"]).ends_with(0).says("a_job.j").hides("No effective change");
    // Its text is the same, and is shown once.
    repo.run(&["diff", "HEAD^..HEAD", "--format", "markdown"]).says("result not known").hides("→");
    let run = repo.run(&["diff", "HEAD^..HEAD", "--format", "matrix"]).ends_with(0);
    assert!(run.stdout.contains("\"live\""), "{run}");
}

#[test]
fn a_root_module_that_moves_with_its_state_keeps_its_resources_whatever_else_differs() {
    let root = |key: &str, size: &str| {
        format!(
            "terraform {{\n  backend \"s3\" {{\n    bucket = \"b\"\n    key    = \"{key}\"\n    region = \"r\"\n  }}\n}}\n\
             resource \"aws_a\" \"r\" {{\n  size = {size}\n}}\nresource \"aws_a\" \"s\" {{\n  size = {size}\n}}\n"
        )
    };
    let moved = |key: &str| {
        let repo = Repo::new();
        repo.write("live/a/main.tf", root("k", "1")).write("live/c/main.tf", root("c", "1")).commit("base");
        repo.remove("live/a/main.tf").write("live/eu/main.tf", root(key, "2"));
        repo.run(&["diff"]).stdout
    };
    let kept = moved("k");
    assert!(kept.contains("stack renamed: live/a \u{2192} live/eu"), "{kept}");
    assert!(!kept.contains("danger"), "{kept}");
    let lost = moved("other");
    assert!(lost.contains("danger[stack-removed]"), "{lost}");
}

#[test]
fn a_root_module_that_another_one_calls_changes_as_well() {
    let repo = Repo::new();
    let backend = |key: &str| format!("terraform {{\n  backend \"local\" {{\n    path = \"{key}\"\n  }}\n}}\n");
    let x = |size: &str| format!("{}resource \"aws_a\" \"r\" {{\n  size = {size}\n}}\n", backend("x.tfstate"));
    repo.write("x/main.tf", x("1"));
    repo.write("y/main.tf", format!("{}module \"x\" {{\n  source = \"../x\"\n}}\n", backend("y.tfstate")))
        .commit("base");
    repo.write("x/main.tf", x("2"));
    let out = repo.run(&["diff"]).stdout;
    assert!(out.contains("2 resources in 2 root modules change"), "{out}");
    let affected = repo.run(&["diff", "--format", "affected"]).stdout;
    assert!(affected.contains("\"x\"") && affected.contains("\"y\""), "{affected}");
}

#[test]
fn a_mistake_in_what_repeats_a_block_removes_nothing() {
    let resource = |count: &str| format!("resource \"aws_vpc\" \"v\" {{\n  {count}\n  cidr = \"c\"\n}}\n");
    let call = |count: &str| format!("module \"m\" {{\n  source = \"./m\"\n  {count}\n}}\n");
    let keyed = "for_each = toset([\"a\", \"b\"])";
    let wrong = "for_each = toset([\"a\", upper(1, 2)])";
    let of_module = resource("count = 2");
    for (base, head) in [
        (resource("count = 2"), resource("count = 1 + {}")),
        (resource(keyed), resource(wrong)),
        (call(keyed), call(wrong)),
    ] {
        let (run, json) = diff(&[("main.tf", &base), ("m/main.tf", &of_module)], &[("main.tf", &head)]);
        assert_eq!(dangers(&json), [], "{head}\n{run}");
        assert_eq!(run.status, 1, "{run}");
    }
}

#[test]
fn what_leaves_no_instance_is_the_cause_whatever_else_is_edited() {
    let base = "locals {\n  name = \"x\"\n}\nresource \"aws_a\" \"a\" {\n  name = local.name\n}\nmodule \"m\" {\n  source = \"./m\"\n}\n";
    let head = "locals {\n  name   = \"x\"\n  on = { default = false }[terraform.workspace]\n}\nresource \"aws_a\" \"a\" {\n  \
                count = local.on ? 1 : 0\n\n  name = local.name\n}\nmodule \"m\" {\n  source = \"./m\"\n  count = length(local.none)\n}\n\
                locals {\n  none = []\n}\n";
    let module = ("m/main.tf", "resource \"aws_b\" \"b\" {\n}\n");
    let (run, json) = diff(&[("main.tf", base), module], &[("main.tf", head), module]);
    let causes = |component: &str| -> Vec<u64> {
        let found = json["components"].as_array().unwrap().iter().find(|one| one["component"] == component).unwrap();
        let causes = found["causes"].as_array().unwrap().iter().filter(|cause| cause["side"] == "head");
        causes.map(|cause| cause["line"].as_u64().unwrap()).collect()
    };
    assert_eq!(causes("aws_a.a"), [5, 8]);
    assert_eq!(causes("module.m.aws_b.b"), [14, 17]);
    // The root module is still there, so the next run destroys what is gone.
    let removed = |name: &str| {
        ("component-removed".to_owned(), format!("`{name}` in `.` is removed, and the next run destroys it"))
    };
    assert_eq!(dangers(&json), [removed("aws_a.a"), removed("module.m.aws_b.b")]);
    run.hides("stays deployed").hides("name   =");
}

#[test]
fn a_default_that_comes_where_an_argument_goes_is_caused_by_that() {
    let variable = |name: &str| format!("variable \"{name}\" {{\n  default = \"a\"\n}}\n");
    let module = variable("size")
        + &variable("kind")
        + &variable("other")
        + "resource \"aws_b\" \"b\" {\n  size = var.size\n}\n";
    let module = ("m/main.tf", &*module);
    let root = "variable \"old\" {\n  default = \"o\"\n}\nmodule \"m\" {\n  source = \"./m\"\n  size = \"b\"\n  kind = \"c\"\n}\n";
    let edited = root.replace("  size = \"b\"\n", "").replace("default = \"o\"", "default = \"n\"");
    let json = diff(&[("main.tf", root), module], &[("main.tf", &edited), module]).1;
    let of_call = json["components"].as_array().unwrap().iter().find(|one| one["type"] == "module").unwrap();
    let changes = of_call["changes"].as_array().unwrap().iter();
    let causes: Vec<String> = changes
        .map(|change| {
            let lines =
                change["causes"].as_array().unwrap().iter().map(|cause| format!("{}:{}", cause["side"], cause["line"]));
            format!("{} {}", change["path"], lines.collect::<Vec<_>>().join(" "))
        })
        .collect();
    assert_eq!(causes, ["\"/defaults/size\" \"base\":8", "\"/inputs/size\" \"base\":8"]);
    // The default is what it was.
    assert!(!json["diagnostics"].as_array().unwrap().iter().any(|found| found["rule"] == "module-default-changed"));
}

/// Commands name scripts in texts of several words, and in a folder of their own.
#[test]
fn scripts_that_commands_name_are_a_part_of_the_code() {
    let run = |arguments: &str| {
        format!("resource \"null_resource\" \"x\" {{\n  provisioner \"local-exec\" {{\n{arguments}\n  }}\n}}\n")
    };
    let external =
        "data \"external\" \"x\" {\n  program     = [\"python3\", \"x.py\"]\n  working_dir = \"scripts\"\n}\n";
    for (code, path, is_named) in [
        (external.to_owned(), "scripts/x.py", true),
        (run("    command = \"bash ./scripts/run.sh prod\""), "scripts/run.sh", true),
        (run("    command = \"./run.sh ${self.id} && ./scripts/next.sh\""), "scripts/next.sh", true),
        (run("    command     = \"./run.sh\"\n    working_dir = \"scripts\""), "scripts/run.sh", true),
        (run("    command = \"bash scripts/run.sh\""), "scripts/run.sh", true),
        (run("    command = \"bash scripts/other.sh\""), "scripts/run.sh", false),
    ] {
        let repo = Repo::new();
        repo.write("main.tf", format!("terraform {{\n  backend \"s3\" {{}}\n}}\n{code}"))
            .write(path, "1\n")
            .commit("base");
        repo.write(path, "2\n").commit("edit");
        let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
        assert_eq!(run.stdout.contains("1 root module runs different code"), is_named, "{code}: {run}");
    }
}

/// Programs find files by themselves: by the words of a command, by what a script imports, by the bases of a folder.
#[test]
fn files_that_programs_find_are_a_part_of_the_code() {
    let run = |command: &str| {
        format!(
            "resource \"null_resource\" \"x\" {{\n  provisioner \"local-exec\" {{\n    command = \"{command}\"\n  }}\n}}\n"
        )
    };
    let external = |program: &str| format!("data \"external\" \"x\" {{\n  program = [{program}]\n}}\n");
    let kustomization = "data \"kustomization_build\" \"x\" {\n  path = \"${path.module}/k\"\n}\n";
    let files = [
        ("infra/tools/x.py", "import y\nfrom lib import z\n"),
        ("infra/k/kustomization.yaml", "resources: [../../base]\n"),
        ("base/kustomization.yaml", "resources: [d.yaml]\n"),
    ];
    for (code, path, is_found) in [
        (run("cat a.json"), "infra/a.json", true),
        (run("cat b.json"), "infra/a.json", false),
        (run("cat a.json"), "a.json", false),
        (run("cat docs/a.json"), "infra/docs/b.json", false),
        (run("cat docs/a.json"), "infra/docs/a.json", true),
        (run("kubectl apply -f docs/all && x"), "infra/docs/all/a.yaml", true),
        (run("cat docs/a.json"), "docs/a.json", false),
        (run("").replace("\"\"", "<<-EOT\n  set -e\n  bash docs/a.json\n  EOT"), "infra/docs/a.json", true),
        (run("").replace("\"\"", "<<EOT\n./b.sh ${self.id}\nEOT"), "infra/b.sh", true),
        (run("curl https://example.com/docs/a.json"), "infra/docs/a.json", false),
        (external("\"bash\", \"run\""), "infra/run", true),
        ("resource \"archive\" \"x\" {\n  source_dir = \"src\"\n}\n".to_owned(), "infra/src/deep/a.py", true),
        ("locals {\n  env = \"src\"\n}\n".to_owned(), "infra/src/deep/a.py", false),
        (external("\"python3\", \"tools/x.py\""), "infra/tools/y.py", true),
        (external("\"python3\", \"${path.module}/tools/x.py\""), "infra/tools/lib/z.py", true),
        (external("\"python3\", \"tools/x.py\""), "infra/tools/other.py", false),
        (external("\"python3\", \"tools/x.py\""), "infra/tools/y.txt", false),
        (kustomization.to_owned(), "base/d.yaml", true),
        (kustomization.to_owned(), "other/d.yaml", false),
    ] {
        let repo = Repo::new();
        repo.write("infra/main.tf", format!("terraform {{\n  backend \"s3\" {{}}\n}}\n{code}"));
        files.iter().for_each(|(path, text)| _ = repo.write(path, text));
        repo.write(path, "1\n").commit("base");
        repo.write(path, "2\n").commit("edit");
        let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
        assert_eq!(run.stdout.contains("1 root module runs different code"), is_found, "{path}: {code}: {run}");
        if is_found {
            let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "matrix"]).ends_with(0);
            json.says("infra");
            repo.run(&["diff", "HEAD~1..HEAD", "--expect", "none"]).ends_with(1);
        }
    }
}
