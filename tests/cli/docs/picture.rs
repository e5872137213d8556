//! The picture of the report in README is of today's output. `docs/picture.py` draws it.

use super::blocks::{read, root};
use crate::common::{Repo, command};

/// The lines of text of a picture: elements `text`, one for each line.
fn lines(picture: &str) -> Vec<String> {
    let lines = picture.split("<text ").skip(1).map(|rest| {
        let inner = rest.split_once('>').and_then(|(_, rest)| rest.split_once("</text>")).expect("a closed element").0;
        let plain: String = inner.split('<').map(|part| part.rsplit_once('>').map_or(part, |(_, text)| text)).collect();
        plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").trim_end().to_owned()
    });
    lines.collect()
}

#[test]
fn it_shows_what_is_printed() {
    let folder = Repo::plain();
    let output = command(folder.root(), &["demo"]).output().expect("the binary runs").stdout;
    let output = String::from_utf8(output).expect("UTF-8");
    let printed: Vec<&str> = output.lines().skip_while(|line| !line.starts_with("$ ")).map(str::trim_end).collect();
    for name in ["light", "dark"] {
        let path = format!("docs/report-{name}.svg");
        assert!(root().join(&path).exists(), "{path}");
        let shown = lines(&read(&path));
        let (last, shown) = shown.split_last().expect("a line");
        assert!(shown.len() >= 20, "{path} shows {} lines", shown.len());
        assert_eq!(shown, &printed[..shown.len()], "python3 docs/picture.py draws {path} anew");
        let omitted = printed.len() - shown.len();
        assert_eq!(*last, format!("… {omitted} more lines: stacklint demo"), "{path}");
    }
}
