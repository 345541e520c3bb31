//! What this machine can run out of when connections are many: descriptors, local ports and threads.

use sql_wire::odbc::{NO_THREAD, TOO_MANY_THREADS};
use sql_wire::{Class, Failure};

/// Trying again at once is useless, as only the end of other connections gives anything back.
const PAUSE_NS: u64 = 1_000_000_000;

const NAMES: [(&str, &str); 5] = [
    ("os24", "EMFILE"),
    ("os23", "ENFILE"),
    ("os99", "EADDRNOTAVAIL"),
    (NO_THREAD, "EAGAIN"),
    (TOO_MANY_THREADS, TOO_MANY_THREADS),
];

/// Says in plain words what a failed connect lacked here, if it was this machine that lacked something. The first such
/// lack is noted in `exhausted`.
pub fn explain(failure: Failure, exhausted: &mut Option<String>) -> Failure {
    let Some((_, name)) = NAMES.iter().find(|(code, _)| failure.code == *code) else {
        return failure;
    };
    let own = failure.message.clone();
    let message = match *name {
        TOO_MANY_THREADS => own.as_str(),
        "EAGAIN" => {
            "it starts no more threads, of which each connection by ODBC is one: raise ulimit -u, \
             kernel.threads-max, TasksMax= of a systemd unit, or use fewer connections"
        }
        "EMFILE" => "this process may open no more files: raise the limit (ulimit -n)",
        "ENFILE" => "this machine can open no more files: raise fs.file-max",
        _ => {
            "no local port is left for another connection to this address: widen \
             net.ipv4.ip_local_port_range, give more endpoints or connect from more addresses (--bind)"
        }
    };
    let limit = format!("Connections could not be made on this machine: {message}.");
    exhausted.get_or_insert(limit);
    Failure::new(Class::Other, *name, message)
}

/// How long to leave such a failure alone at least.
pub fn pause_ns(failure: &Failure) -> u64 {
    let lacking = NAMES.iter().any(|(_, name)| failure.code == *name);
    if lacking { PAUSE_NS } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_are_lacking_are_waited_for() {
        for name in [TOO_MANY_THREADS, "EAGAIN"] {
            let failure = Failure::new(Class::Other, name, "x");
            assert_eq!(pause_ns(&failure), PAUSE_NS, "{name}");
        }
    }
}
