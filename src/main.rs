//! The command `stacklint`.

use std::process::ExitCode;

fn main() -> ExitCode {
    stacklint::main()
}
