//! Messages over standard input and output. Memory for a message is allocated only as its bytes arrive.

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use lsp_server::{Connection, Message};
use parking_lot::Mutex;
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::thread::JoinHandle;

/// The maximum length of a header line in bytes, and the maximum number of lines.
const MAX_LINE: u64 = 4 << 10;
const MAX_LINES: usize = 32;
/// The maximum length of a message, in bytes.
const MAX_MESSAGE: u64 = 512 << 20;

/// The threads that read and write messages.
pub(super) struct Transport {
    writer: JoinHandle<io::Result<()>>,
    broken: Arc<Mutex<Option<String>>>,
}

/// Connects to the client that started the process.
pub(super) fn stdio() -> (Connection, Transport) {
    let (sender, messages) = unbounded();
    let (received, receiver) = bounded(0);
    let broken = Arc::new(Mutex::new(None));
    let broken_by_reader = Arc::clone(&broken);
    let writer = std::thread::spawn(move || write(&messages));
    std::thread::spawn(move || {
        if let Err(why) = forward(&mut io::stdin().lock(), &received) {
            *broken_by_reader.lock() = Some(why);
        }
    });
    (Connection { sender, receiver }, Transport { writer, broken })
}

impl Transport {
    /// Waits until all messages are written; the connection must be dropped first. Returns what is wrong with the last
    /// message that was read, if it is invalid.
    pub(super) fn finish(self) -> Option<String> {
        // If the client has exited, nothing can be written.
        let _ = self.writer.join();
        self.broken.lock().take()
    }
}

fn write(messages: &Receiver<Message>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    messages.iter().try_for_each(|message| message.write(&mut out))
}

/// Forwards the messages of a client until it exits.
///
/// # Errors
/// A message is invalid.
fn forward(input: &mut dyn BufRead, to: &Sender<Message>) -> Result<(), String> {
    while let Some(message) = read(input)? {
        let is_exit = matches!(&message, Message::Notification(sent) if sent.method == "exit");
        if to.send(message).is_err() || is_exit {
            break;
        }
    }
    Ok(())
}

/// Reads the next message; `None` at the end.
fn read(input: &mut dyn BufRead) -> Result<Option<Message>, String> {
    let Some(length) = header(input)? else { return Ok(None) };
    if length > MAX_MESSAGE {
        return Err(format!("a message of {length} bytes is longer than {MAX_MESSAGE}"));
    }
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body).map_err(|error| error.to_string())?;
    if (body.len() as u64) < length {
        return Err(format!("it ends within a message, after {} of {length} bytes", body.len()));
    }
    let message = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
    Ok(Some(message))
}

/// Reads a header, and returns the length of the message.
fn header(input: &mut dyn BufRead) -> Result<Option<u64>, String> {
    let mut length = None;
    for number in 0..MAX_LINES {
        let mut line = Vec::new();
        let limited = &mut input.take(MAX_LINE);
        limited.read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
        if line.is_empty() && number == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let Some(line) = line.strip_suffix("\r\n") else { return Err("a line of a header does not end".to_owned()) };
        if line.is_empty() {
            return length.map(Some).ok_or_else(|| "a header has no Content-Length".to_owned());
        }
        let (name, value) = line.split_once(':').ok_or("a line of a header has no colon")?;
        if name.eq_ignore_ascii_case("Content-Length") {
            length = Some(value.trim().parse().map_err(|_| "the Content-Length is no number")?);
        }
    }
    Err(format!("a header has more than {MAX_LINES} lines"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken_by_reader(text: &str) -> Result<Option<Message>, String> {
        read(&mut text.as_bytes())
    }

    #[test]
    fn messages_begin_with_their_length() {
        let body = r#"{"jsonrpc":"2.0","method":"x","params":1}"#;
        let text = format!("Content-Type: x\r\ncontent-length:{}\r\n\r\n{body}", body.len());
        assert!(matches!(broken_by_reader(&text), Ok(Some(Message::Notification(sent))) if sent.method == "x"));
        assert!(matches!(broken_by_reader(""), Ok(None)));
        for (text, why) in [
            ("Content-Length: 5\n\n{}", "does not end"),
            ("Content-Length: 5", "does not end"),
            ("\r\n{}", "no Content-Length"),
            ("x\r\n\r\n", "no colon"),
            ("Content-Length: -1\r\n\r\n", "no number"),
            ("Content-Length: 18446744073709551615\r\n\r\n{}", "longer than"),
            ("Content-Length: 400000000\r\n\r\n{}", "after 2 of 400000000 bytes"),
            ("Content-Length: 2\r\n\r\n{}", "did not match"),
            ("Content-Length: 3\r\n\r\n{x}", "key must be a string"),
        ] {
            let found = broken_by_reader(text).expect_err(text);
            assert!(found.contains(why), "{text:?}: {found}");
        }
        assert!(broken_by_reader(&"a: b\r\n".repeat(100)).is_err_and(|why| why.contains("lines")));
        assert!(broken_by_reader(&"a".repeat(100_000)).is_err_and(|why| why.contains("does not end")));
    }
}
