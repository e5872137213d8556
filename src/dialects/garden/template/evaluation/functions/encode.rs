//! Functions that encode and decode: base64, JSON, YAML, hashes.

use super::strings::made;
use super::{Done, Error, text, yaml_text};
use crate::dialects::garden::document;
use crate::dialects::garden::template::evaluation::evaluator::Evaluator;
use crate::dialects::garden::template::node::json;
use crate::dialects::garden::template::node::{Data, Node};
use sha2::Digest;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn base64_encode(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let mut out = String::new();
    for chunk in text(arguments, 0).as_bytes().chunks(3) {
        let bytes = [chunk[0], *chunk.get(1).unwrap_or(&0), *chunk.get(2).unwrap_or(&0)];
        let all = u32::from(bytes[0]) << 16 | u32::from(bytes[1]) << 8 | u32::from(bytes[2]);
        for i in 0..4 {
            let letter = ALPHABET[(all >> (18 - 6 * i) & 63) as usize];
            out.push(if i > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    made(evaluator, out)
}

/// Characters outside of the alphabet are skipped, as in Node; decoding ends at the first `=`.
pub(super) fn base64_decode(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0u32, 0);
    for byte in text(arguments, 0).bytes() {
        let byte = match byte {
            b'=' => break,
            b'-' => b'+',
            b'_' => b'/',
            byte => byte,
        };
        let Some(six) = ALPHABET.iter().position(|letter| *letter == byte) else { continue };
        held = held << 6 | six as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    made(evaluator, String::from_utf8_lossy(&bytes).into_owned())
}

pub(super) fn sha256(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let digest = sha2::Sha256::digest(text(arguments, 0).as_bytes());
    made(evaluator, digest.iter().map(|b| format!("{b:02x}")).collect())
}

pub(super) fn json_encode(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let Some(value) = arguments.first() else { return Ok(Node::default()) };
    made(evaluator, json::encode(value))
}

pub(super) fn json_decode(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    evaluator.spend_text(text(arguments, 0).len())?;
    json::decode(text(arguments, 0)).map_err(|message| Error::Message(format!("SyntaxError: {message}")))
}

pub(super) fn yaml_encode(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let Some(value) = arguments.first() else { return Ok(Node::default()) };
    if !arguments.get(1).is_some_and(Node::is_truthy) {
        return made(evaluator, yaml_text::dump(value));
    }
    let Some(items) = value.as_list() else {
        let got = value.type_of();
        let message = format!("Error: yamlEncode: Set multiDocument=true but value is not an array (got {got})");
        return Err(Error::Message(message));
    };
    let all: Vec<String> = items.iter().map(yaml_text::dump).collect();
    made(evaluator, format!("---{}", all.join("---")))
}

pub(super) fn yaml_decode(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    evaluator.spend_text(text(arguments, 0).len())?;
    let all = document::read_text(text(arguments, 0));
    let all = all.map_err(|message| Error::Message(format!("YAMLException: {message}")))?;
    if arguments.get(1).is_some_and(Node::is_truthy) {
        return Ok(Node::list(all));
    }
    if all.len() > 1 {
        let message = "YAMLException: expected a single document in the stream, but found more";
        return Err(Error::Message(message.to_owned()));
    }
    Ok(all.into_iter().next().unwrap_or_default())
}

/// Another one each time.
pub(super) fn uuid(_: &Evaluator, _: &[Node]) -> Done {
    Ok(Node::new(Data::Unknown(
        crate::value::Unknown::new("", "`uuidv4()` returns another value each time it is called").into(),
    )))
}
