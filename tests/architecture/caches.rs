//! Every cache has an owner and is dropped with it: nothing in the source escapes its owner, and resolutions that are
//! dropped leave no memory behind.

use crate::packages;

/// Where a value may outlive its owner, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("src/cli/mod.rs", "the process ends"),
    ("crates/shared-text/src/lib.rs", "interned texts belong to the program, and their number is limited"),
];

#[test]
fn nothing_outlives_its_owner() {
    let mut found = Vec::new();
    for (folder, source) in packages().iter().flat_map(|(folder, sources)| sources.iter().map(move |s| (folder, s))) {
        let escapes = ["mem::forget(", ".leak(", "::leak(", "ManuallyDrop"];
        if escapes.iter().any(|escape| source.text.contains(escape)) {
            found.push(format!("{folder}/{}", source.path));
        }
    }
    assert_eq!(found, EXCEPTIONS.iter().map(|(path, _)| *path).collect::<Vec<_>>());
}

/// Runs in a process of its own, because other tests allocate memory.
#[cfg(target_os = "linux")]
#[test]
fn a_thousand_resolutions_leave_no_memory_behind() {
    const CHILD: &str = "STACKLINT_TEST_MEASURES_MEMORY";
    if std::env::var_os(CHILD).is_some() {
        return measure();
    }
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "caches::a_thousand_resolutions_leave_no_memory_behind", "--nocapture"]);
    let output = command.env(CHILD, "1").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[cfg(target_os = "linux")]
fn measure() {
    // The first resolutions fill what belongs to the program: interned texts, compiled schemas, the arenas of the allocator.
    resolve(0..200);
    let grows_by = |first: usize| {
        let before = resident();
        resolve(first..first + 1_000);
        resident().saturating_sub(before)
    };
    // One resolution takes about 200 KiB: 1 in 50 of them would be noticed. What the allocator itself keeps varies more than that
    // without huge pages, but what is left behind is left behind every time.
    let is_clean = [200, 1_200, 2_200].into_iter().any(|first| grows_by(first) < 4 << 20);
    assert!(is_clean, "1,000 resolutions left more than 4 MiB behind, three times in a row");
}

/// Resolves projects whose texts, values and templates all differ.
#[cfg(target_os = "linux")]
fn resolve(numbers: std::ops::Range<usize>) {
    for n in numbers {
        let files = [
            (
                "atmos.yaml",
                "stacks: {base_path: stacks, included_paths: ['deploy/*'], name_pattern: '{stage}'}\n\
                 components: {terraform: {base_path: components}}\n\
                 templates: {settings: {enabled: true, sprig: {enabled: true}}}\n"
                    .to_owned(),
            ),
            ("stacks/catalog.yaml", catalog(n)),
            ("stacks/deploy/dev.yaml", deployed("dev", n)),
            ("stacks/deploy/prod.yaml", deployed("prod", n)),
        ];
        let files = files.into_iter().map(|(path, text)| (path.to_owned(), text.into_bytes())).collect();
        drop(stacklint::testing::Repository::new(files).resolve());
    }
}

#[cfg(target_os = "linux")]
fn catalog(n: usize) -> String {
    let texts: String =
        (0..50).map(|i| format!("          key{i}: a value of number {i} in repository {n}\n")).collect();
    format!(
        "locals: {{name: name-{n}}}\ncomponents:\n  terraform:\n    base:\n      metadata: {{type: abstract, component: code}}\n      \
         vars:\n        label: '{{{{ .locals.name }}}} {n}'\n        texts:\n{texts}"
    )
}

#[cfg(target_os = "linux")]
fn deployed(stage: &str, n: usize) -> String {
    let one = |i| {
        format!(
            "    one{i}: {{metadata: {{component: code, inherits: [base]}}, vars: {{own: '{{{{ .vars.stage | upper }}}} {n}', n: {i}}}}}\n"
        )
    };
    format!(
        "import: [catalog]\nvars: {{stage: {stage}}}\ncomponents:\n  terraform:\n{}",
        (0..6).map(one).collect::<String>()
    )
}

/// The memory of this process in bytes.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<usize>().unwrap() * 1024
}
