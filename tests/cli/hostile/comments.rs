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
        "  x = \"# stacklint: ignore[tofu-module-argument] y\"\n",
        "  x = \" // stacklint: ignore[tofu-module-argument] y\"\n",
        "  x = \"/* stacklint: ignore[tofu-module-argument] y */\"\n",
        "  x = \"${\"a # stacklint: ignore[tofu-module-argument] y\"}\"\n",
        "  x = \"\\\" # stacklint: ignore[tofu-module-argument] y\"\n",
        "  x = \"$${ # stacklint: ignore[tofu-module-argument] y\"\n",
        "  zone = <<E\n# stacklint: ignore[tofu-module-argument] y\nE\n",
        "  zone = <<-E\n    // stacklint: ignore[tofu-module-argument] y\n    E E\n  /* stacklint: ignore[tofu-module-argument] */\n    E\n",
        "  /* x\n  // */ x = \"stacklint: ignore[tofu-module-argument] y\"\n",
    ] {
        repo(arguments).run(&["check", "--dialect", "opentofu"]).says("tofu-module-argument").hides("suppressed");
    }
}

#[test]
fn many_comments_take_no_square() {
    let argument = |i: usize| format!("  a{i} = \"x\" /* y */ // stacklint: ignore[tofu-module-argument] z\n");
    let repo = repo(&(0..8_000).map(argument).collect::<String>());
    repo.run(&["check", "--dialect", "opentofu"]);
}
