//! What a machine can run out of when connections are many: descriptors and local ports.

use super::cli::Args;
use super::shared::Shared;
use anyhow::Result;
use base::arguments::Usage;
use base::sys;
use sql_wire::endpoint::Endpoint;
use sql_wire::{Class, Failure, Kind};

/// Descriptors besides those of connections: files, timers, the ledger.
const OTHERS: u64 = 32;
/// Trying again at once is useless, as only the end of other connections gives anything back.
const PAUSE_NS: u64 = 1_000_000_000;

const NAMES: [(&str, &str); 3] = [
    ("os24", "EMFILE"),
    ("os23", "ENFILE"),
    ("os99", "EADDRNOTAVAIL"),
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
    let needed = connections * lanes + tries + OTHERS;
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

/// Says in plain words what a failed connect lacked here, if it was this machine that lacked something.
pub fn explain(failure: Failure, shared: &mut Shared) -> Failure {
    let Some((_, name)) = NAMES.iter().find(|(code, _)| failure.code == *code) else {
        return failure;
    };
    let message = match *name {
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
