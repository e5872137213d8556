//! Links in pages lead to files of the repository and to headings that exist, and every page is in the contents of the site.

use super::blocks::{all_pages, inline, pages, read, root};
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

/// The anchors of the headings of a page, as GitHub and mdBook make them.
fn anchors(text: &str) -> HashSet<String> {
    let (mut result, mut is_code) = (HashSet::new(), false);
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        let Some(title) = line.strip_prefix('#').filter(|_| !is_code) else { continue };
        let title = title.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        result.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
    }
    result
}

/// The targets of the links, images and sources of pictures of a page.
fn targets(text: &str) -> Vec<String> {
    let prose: String = inline(text).into_iter().step_by(2).collect();
    let mut found = Vec::new();
    for (open, close) in [("](", ')'), ("src=\"", '"'), ("srcset=\"", '"')] {
        found.extend(
            prose.split(open).skip(1).filter_map(|rest| rest.split_once(close)).map(|(target, _)| target.to_owned()),
        );
    }
    found
}

/// A path without `.` and `..`.
fn clean(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut done, part| {
        match part {
            Component::ParentDir => drop(done.pop()),
            Component::CurDir => {}
            other => done.push(other),
        }
        done
    })
}

#[test]
fn no_link_is_dead() {
    let (mut dead, mut seen) = (Vec::new(), 0);
    for page in all_pages() {
        let text = read(&page);
        for target in targets(&text) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            seen += 1;
            let (path, anchor) = target.split_once('#').map_or((&*target, None), |(path, anchor)| (path, Some(anchor)));
            let folder = Path::new(&page).parent().expect("a folder");
            let path = if path.is_empty() { PathBuf::from(&page) } else { clean(&folder.join(path)) };
            let is_there = match anchor {
                _ if !root().join(&path).exists() => false,
                Some(anchor) if path.extension().is_some_and(|e| e == "md") => {
                    anchors(&read(path.to_str().expect("UTF-8"))).contains(anchor)
                }
                _ => true,
            };
            if !is_there {
                dead.push(format!("{page}: {target}"));
            }
        }
    }
    assert!(seen > 100, "only {seen} links were found");
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}

#[test]
fn the_site_has_every_page() {
    let contents = targets(&read("docs/SUMMARY.md"));
    for page in pages() {
        let name = page.strip_prefix("docs/").unwrap_or("../README.md");
        if name != "SUMMARY.md" {
            assert_eq!(contents.iter().filter(|target| *target == name).count(), 1, "{name} in docs/SUMMARY.md");
        }
    }
}
