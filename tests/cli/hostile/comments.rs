//! Text that looks like a comment silences nothing.

use crate::common::Repo;

fn repo(arguments: &str) -> Repo {
    let repo = Repo::new();
    repo.write("m/main.tf", "variable \"zones\" {}\n");
    repo.write("main.tf", format!("module \"a\" {{\n  source = \"./m\"\n  zones = 1\n{arguments}}}\n")).commit("base");
    repo
}

#[test]
fn strings_and_heredocs_of_hcl_silence_nothing() {
    for arguments in [
        "  x = \"# stacklint: ignore[undeclared-variable] y\"\n",
        "  x = \" // stacklint: ignore[undeclared-variable] y\"\n",
        "  x = \"/* stacklint: ignore[undeclared-variable] y */\"\n",
        "  x = \"${\"a # stacklint: ignore[undeclared-variable] y\"}\"\n",
        "  x = \"\\\" # stacklint: ignore[undeclared-variable] y\"\n",
        "  x = \"$${ # stacklint: ignore[undeclared-variable] y\"\n",
        "  zone = <<E\n# stacklint: ignore[undeclared-variable] y\nE\n",
        "  zone = <<-E\n    // stacklint: ignore[undeclared-variable] y\n    E E\n  /* stacklint: ignore[undeclared-variable] */\n    E\n",
        "  /* x\n  // */ x = \"stacklint: ignore[undeclared-variable] y\"\n",
    ] {
        repo(arguments).run(&["check", "--dialect", "opentofu"]).says("undeclared-variable").hides("suppressed");
    }
}

#[test]
fn many_comments_take_no_square() {
    let argument = |i: usize| format!("  a{i} = \"x\" /* y */ // stacklint: ignore[undeclared-variable] z\n");
    let repo = repo(&(0..8_000).map(argument).collect::<String>());
    repo.run(&["check", "--dialect", "opentofu"]);
}
