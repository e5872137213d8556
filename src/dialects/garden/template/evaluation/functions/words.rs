//! Splits an identifier into words like lodash: at characters other than letters, at changes of case, around digits.

/// The class of a character in a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Other,
}

fn class(c: char) -> Class {
    match c {
        c if c.is_ascii_digit() => Class::Digit,
        c if c.is_uppercase() => Class::Upper,
        c if c.is_alphabetic() => Class::Lower,
        _ => Class::Other,
    }
}

/// Returns the words of a text. Apostrophes do not separate words.
pub(super) fn words(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().filter(|c| !matches!(c, '\'' | '\u{2019}')).flat_map(without_marks).collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (i, c) in letters.iter().enumerate() {
        let this = class(*c);
        let before = i.checked_sub(1).map_or(Class::Other, |j| class(letters[j]));
        let after = letters.get(i + 1).map_or(Class::Other, |c| class(*c));
        let starts = match (before, this) {
            (_, Class::Other) | (Class::Other, _) => true,
            // The last capital of several belongs to the word that follows it: `URLPath` is `URL` and `Path`.
            (Class::Upper, Class::Upper) => after == Class::Lower,
            (Class::Upper, Class::Lower) => false,
            (before, this) => before != this,
        };
        if starts && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if this != Class::Other {
            word.push(*c);
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// Letters of Latin alphabets without their marks.
fn without_marks(c: char) -> Vec<char> {
    let plain = match c {
        'À'..='Å' | 'Ā' | 'Ă' | 'Ą' => "A",
        'à'..='å' | 'ā' | 'ă' | 'ą' => "a",
        'Ç' | 'Ć' | 'Ĉ' | 'Ċ' | 'Č' => "C",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'Ð' | 'Ď' | 'Đ' => "D",
        'ð' | 'ď' | 'đ' => "d",
        'È'..='Ë' | 'Ē' | 'Ĕ' | 'Ė' | 'Ę' | 'Ě' => "E",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'Ì'..='Ï' | 'Ī' | 'Į' | 'İ' => "I",
        'ì'..='ï' | 'ī' | 'į' | 'ı' => "i",
        'Ñ' | 'Ń' | 'Ň' => "N",
        'ñ' | 'ń' | 'ň' => "n",
        'Ò'..='Ö' | 'Ø' | 'Ō' | 'Ő' => "O",
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => "o",
        'Ù'..='Ü' | 'Ū' | 'Ů' | 'Ű' => "U",
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => "u",
        'Ý' | 'Ÿ' => "Y",
        'ý' | 'ÿ' => "y",
        'Š' | 'Ś' => "S",
        'š' | 'ś' => "s",
        'Ž' | 'Ź' | 'Ż' => "Z",
        'ž' | 'ź' | 'ż' => "z",
        'Ł' => "L",
        'ł' => "l",
        'Æ' => "Ae",
        'æ' => "ae",
        'Þ' => "Th",
        'þ' => "th",
        'ß' => "ss",
        _ => return vec![c],
    };
    plain.chars().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_as_lodash_tells_them_apart() {
        for (text, expected) in [
            ("some_http-URL 2x", "some http URL 2 x"),
            ("OrderService V2", "Order Service V 2"),
            ("HTTPServer", "HTTP Server"),
            ("__FOO_BAR__", "FOO BAR"),
            ("don't stop", "dont stop"),
            ("déjà vu", "deja vu"),
            ("a1B2c", "a 1 B 2 c"),
            ("", ""),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }
}
