//! Identifies the build by the sources that it is made of, for caches of results that must not outlive the code.
#![allow(clippy::disallowed_methods, reason = "a build script reads the files that are built")]

use std::fs;
use std::path::{Path, PathBuf};

/// What results depend on besides the compiler: the code, and the versions of what it uses.
const INPUTS: [&str; 4] = ["src", "crates", "Cargo.toml", "Cargo.lock"];

fn main() {
    let mut files = Vec::new();
    for input in INPUTS {
        println!("cargo:rerun-if-changed={input}");
        collect(Path::new(input), &mut files);
    }
    files.sort();
    // FNV-1a.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |bytes: &[u8]| {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in length.iter().chain(bytes) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    for file in files {
        add(file.to_string_lossy().as_bytes());
        add(&fs::read(&file).unwrap_or_default());
    }
    for variable in ["PROFILE", "TARGET"] {
        add(std::env::var(variable).unwrap_or_default().as_bytes());
    }
    println!("cargo:rustc-env=STACKLINT_BUILD={hash:016x}");
    if is("PROFILE", "debug") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        // A large program without optimization has 300,000 addresses that depend on where it is loaded. To fill them in takes a
        // quarter of a short run, and tests start it thousands of times.
        println!("cargo:rustc-link-arg=-no-pie");
    }
}

fn is(variable: &str, value: &str) -> bool {
    std::env::var(variable).is_ok_and(|is| is == value)
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), files)),
        Err(_) => files.push(path.to_owned()),
    }
}
