//! What a machine can run out of when connections are many: descriptors and local ports.

use super::cli::Args;
use super::shared::Shared;
use anyhow::Result;
use base::arguments::Usage;
use base::sys;
use sql_wire::endpoint::Endpoint;
use sql_wire::odbc::{NO_THREAD, TOO_MANY_THREADS};
use sql_wire::{Class, Failure, Kind};

/// Descriptors besides those of connections: files, timers, the ledger.
const OTHERS: u64 = 32;
/// Trying again at once is useless, as only the end of other connections gives anything back.
const PAUSE_NS: u64 = 1_000_000_000;

/// By ODBC a connection is a pair of sockets and that of the driver.
const BY_ODBC: u64 = 3;

const NAMES: [(&str, &str); 5] = [
    ("os24", "EMFILE"),
    ("os23", "ENFILE"),
    ("os99", "EADDRNOTAVAIL"),
    (NO_THREAD, "EAGAIN"),
    (TOO_MANY_THREADS, TOO_MANY_THREADS),
];

/// Refuses more connections than this process may have, before anything is started.
pub fn check(args: &Args) -> Result<()> {
    let limit = sys::raise_descriptor_limit();
    if args.driver == Kind::Noop {
        return Ok(());
    }
    let lanes = if args.read.is_empty() { 1 } else { 2 };
    let connections = u64::from(args.drive.most_connections());
    let tries = args.probes.at_once() * args.write.len() as u64;
    odbc::expect((connections * lanes + tries) as usize);
    let needed = descriptors(
        args.write.iter().chain(&args.read),
        connections * lanes + tries,
    );
    if needed > limit {
        return Err(Usage::error(format!(
            "{connections} connections need {needed} open files, and this process may have {limit}: raise the \
             limit (ulimit -n {needed}, LimitNOFILE= of a systemd unit) or use fewer connections"
        )));
    }
    let from = args.bind.len().max(1) as u64;
    let addresses = args.write.iter().chain(&args.read);
    let addresses = addresses.filter(|endpoint| matches!(endpoint, Endpoint::Tcp { .. }));
    match (addresses.count() as u64, sys::local_ports()) {
        (count, Some(ports)) if count > 0 && connections * lanes > ports * count * from => {
            Err(Usage::error(format!(
                "{connections} connections need as many local ports, and the kernel has {ports} for each address \
                 of a server and of this machine: widen net.ipv4.ip_local_port_range, give more endpoints, connect from more \
                 addresses (--bind) or use fewer connections"
            )))
        }
        _ => Ok(()),
    }
}

/// Open files for so many connections at these endpoints, of which all or none are by ODBC.
fn descriptors<'a>(mut endpoints: impl Iterator<Item = &'a Endpoint>, connections: u64) -> u64 {
    let by_odbc = endpoints.any(Endpoint::is_odbc);
    connections * if by_odbc { BY_ODBC } else { 1 } + OTHERS
}

/// Says in plain words what a failed connect lacked here, if it was this machine that lacked something.
pub fn explain(failure: Failure, shared: &mut Shared) -> Failure {
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
    shared.exhausted.get_or_insert(limit);
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
    fn by_odbc_a_connection_has_three_descriptors() {
        let endpoint = |text: &str| [text.parse::<Endpoint>().unwrap()];
        assert_eq!(descriptors(endpoint("db:5432").iter(), 10), 10 + OTHERS);
        assert_eq!(descriptors(endpoint("odbc:DSN=x").iter(), 10), 30 + OTHERS);
    }

    #[test]
    fn threads_that_are_lacking_are_waited_for() {
        for name in [TOO_MANY_THREADS, "EAGAIN"] {
            let failure = Failure::new(Class::Other, name, "x");
            assert_eq!(pause_ns(&failure), PAUSE_NS, "{name}");
        }
    }
}
