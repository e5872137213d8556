//! Which files are top-level stack manifests (`reference: atmos.md` sections 2.1 and 2.2).

use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::diagnostics::Diagnostics;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Reader};
use crate::dialects::atmos::rules;
use crate::reads::Unread;
use crate::resolution::{Extent, Gap};
use crate::source::glob;
use crate::text::Text;
use crate::threads;
use crate::value::Prov;
use std::collections::BTreeSet;

/// The paths of the manifests, sorted, and why some of them may be missing. A manifest that cannot be read is among them.
pub(crate) fn manifests(
    reader: &Reader<'_>,
    config: &Config,
    diagnostics: &Diagnostics,
    deps: &mut Deps,
) -> (Vec<String>, Option<Gap>) {
    let mut found: BTreeSet<String> = BTreeSet::new();
    let mut gap = None;
    for pattern in &config.included {
        let mut finds_nothing = true;
        for full in globs(config, pattern) {
            let paths = reader.glob(&full, deps).unwrap_or_else(|bad| {
                // An invalid pattern matches nothing, as in Atmos.
                if bad.is_limit {
                    let site =
                        config.all.at_path(["stacks", "included_paths"]).map(|v| v.prov.clone()).unwrap_or_default();
                    let file = deps
                        .files
                        .first()
                        .copied()
                        .unwrap_or_else(|| reader.files.add("atmos.yaml", "", || Text::from("")));
                    diagnostics.error(&rules::LIMIT_EXCEEDED, bad.message, &site, file);
                }
                Vec::new()
            });
            finds_nothing &= paths.is_empty();
            let paths: Vec<String> = paths.into_iter().filter(|path| !excluded(path, config)).collect();
            // The reader keeps what it loads, and reading takes longer than all that follows. Many patterns match one file.
            let new: Vec<&String> = paths.iter().filter(|path| !found.contains(*path)).collect();
            threads::map(&new, |path| drop(reader.load(path, &mut Deps::default())));
            for path in paths {
                match reader.load(&path, deps) {
                    Ok(None) => {}
                    Ok(Some(_)) => {
                        found.insert(path);
                    }
                    Err(Unread { message, is_unavailable }) => {
                        let file = reader.files.add(&path, "", || Text::from(""));
                        diagnostics.error(
                            crate::diagnostic::rules::unread(is_unavailable),
                            message,
                            &Prov::default(),
                            file,
                        );
                        found.insert(path);
                    }
                }
            }
        }
        if finds_nothing {
            let reason = format!("nothing matches `{pattern}` of `stacks.included_paths` below {}", config.stacks);
            gap.get_or_insert(Gap { extent: Extent::Units, reason, file: deps.files.first().copied() });
        }
    }
    (found.into_iter().collect(), gap)
}

/// A pattern of the configuration as patterns of paths from the root of the repository, one for each extension.
fn globs<'c>(config: &'c Config, pattern: &'c str) -> impl Iterator<Item = String> + 'c {
    let extensions: &[&str] = match paths::extension(pattern) {
        "" => &[".yaml", ".yml", ".yaml.tmpl", ".yml.tmpl"],
        _ => &[""],
    };
    let full = move |extension| paths::join(&config.stacks, &format!("{pattern}{extension}"));
    extensions.iter().filter_map(full).map(paths::without_repeats)
}

/// Whether there may be a manifest.
pub(crate) fn has_any(reader: &Reader<'_>, config: &Config) -> bool {
    let all = config.included.iter().flat_map(|pattern| globs(config, pattern));
    let mut found = all.map(|full| reader.glob(&full, &mut Deps::default()));
    found.any(|paths| paths.map_or(true, |paths| paths.iter().any(|path| !excluded(path, config))))
}

/// Whether the folder of stacks holds any manifest that is not a template; Atmos takes a folder without one for empty.
pub(crate) fn has_plain_manifest(reader: &Reader<'_>, config: &Config) -> bool {
    let below = reader.source.listing().under(&config.stacks);
    below.iter().any(|e| e.path.ends_with(".yaml") || e.path.ends_with(".yml"))
}

fn excluded(path: &str, config: &Config) -> bool {
    config.excluded.iter().any(|pattern| match paths::join(&config.stacks, pattern).map(paths::without_repeats) {
        // Atmos drops a file also where the pattern cannot be read.
        Some(full) => glob::path_match(&full, path).unwrap_or(true),
        None => false,
    })
}
