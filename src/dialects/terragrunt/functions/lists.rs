//! Lists that functions return.

const NEED_VARS: &[&str] = &["apply", "console", "destroy", "import", "plan", "push", "refresh"];
const NEED_LOCKING: &[&str] = &["apply", "destroy", "import", "plan", "refresh", "taint", "untaint"];
const NEED_INPUT: &[&str] = &["apply", "import", "init", "plan", "refresh"];
const NEED_PARALLELISM: &[&str] = &["apply", "plan", "destroy"];

const RETRYABLE: &[&str] = &[
    "(?s).*Failed to load state.*tcp.*timeout.*",
    "(?s).*Failed to load backend.*TLS handshake timeout.*",
    "(?s).*Creating metric alarm failed.*request to update this alarm is in progress.*",
    "(?s).*Error installing provider.*TLS handshake timeout.*",
    "(?s).*Error configuring the backend.*TLS handshake timeout.*",
    "(?s).*Error installing provider.*tcp.*timeout.*",
    "(?s).*Error installing provider.*tcp.*connection reset by peer.*",
    "NoSuchBucket: The specified bucket does not exist",
    "(?s).*Error creating SSM parameter: TooManyUpdates:.*",
    "(?s).*app.terraform.io.*: 429 Too Many Requests.*",
    "(?s).*ssh_exchange_identification.*Connection closed by remote host.*",
    "(?s).*Client\\.Timeout exceeded while awaiting headers.*",
    "(?s).*Could not download module.*The requested URL returned error: 429.*",
    "(?s).*net/http: TLS.*handshake timeout.*",
    "(?s).*could not query provider registry.*context deadline exceeded.*",
    "(?s).*provider.*TLS handshake timeout.*",
    "(?s).*provider.*tcp.*timeout.*",
    "(?s).*provider.*tcp.*connection reset by peer.*",
    "(?s).*provider.*context deadline exceeded.*",
    "(?s).*registry.*context deadline exceeded.*",
    "(?s).*Failed to resolve provider.*timeout.*",
    "(?s).*Failed to resolve provider.*connection reset by peer.*",
    "(?s).*Failed to resolve provider.*context deadline exceeded.*",
    "(?s).*could not connect to registry.*timeout.*",
    "(?s).*could not connect to registry.*connection reset by peer.*",
    "(?s).*could not connect to registry.*context deadline exceeded.*",
    "(?s).*failed to request discovery document.*context deadline exceeded.*",
    "(?s).*Failed to query available provider packages.*timeout.*",
    "(?s).*Failed to query available provider packages.*connection reset by peer.*",
    "(?s).*Failed to query available provider packages.*context deadline exceeded.*",
];

/// The list that a function returns; `None` if it returns none.
pub(super) fn of(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "get_terraform_commands_that_need_vars" => NEED_VARS,
        "get_terraform_commands_that_need_locking" => NEED_LOCKING,
        "get_terraform_commands_that_need_input" => NEED_INPUT,
        "get_terraform_commands_that_need_parallelism" => NEED_PARALLELISM,
        "get_default_retryable_errors" => RETRYABLE,
        _ => return None,
    })
}
