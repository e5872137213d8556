//! Paths of files of which only some pieces are known.

/// What is written out of a path in the text of an expression, from the start to the end: `"${local.a}/../vars/${local.b}.tfvars"`
/// has nothing at its start, `vars/`, and `.tfvars` at its end. Nothing is, if it is no text with expressions in it.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let text = text.trim_matches('"');
    if !text.contains("${") {
        return Vec::new();
    }
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some((piece, inside)) = rest.split_once("${") {
        pieces.push(piece);
        let mut depth = 1;
        let end = inside.find(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0
        });
        rest = end.map_or("", |end| &inside[end + 1..]);
    }
    pieces.push(rest);
    let below = |piece: &'_ str| piece.rfind("../").map_or(0, |at| at + "../".len());
    pieces.into_iter().map(|piece| piece[below(piece)..].trim_start_matches('/')).collect()
}

/// Whether a path may be one of which some pieces are known, see [`pieces`].
pub(super) fn may_be(path: &str, pieces: &[&str]) -> bool {
    let Some((last, before)) = pieces.split_last() else { return true };
    let mut rest = Some(path).filter(|path| path.ends_with(last));
    for piece in before {
        rest = rest.and_then(|rest| rest.find(piece).map(|at| &rest[at + piece.len()..]));
    }
    rest.is_some_and(|rest| rest.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_path_may_be() {
        let text = "\"${get_terragrunt_dir()}/../vars/${get_env(\"A\", \"{}\")}.tfvars\"";
        assert_eq!(pieces(text), ["", "vars/", ".tfvars"]);
        for (path, expected) in
            [("vars/prod.tfvars", true), ("live/vars/a/b.tfvars", true), ("vars/a.json", false), ("prod.tfvars", false)]
        {
            assert_eq!(may_be(path, &pieces(text)), expected, "{path}");
        }
        assert!(may_be("a.tfvars", &pieces("local.files")));
    }
}
