//! Are the limits of this machine high enough for so many connections? They need descriptors and local ports.

use crate::generator::args::Args;
use anyhow::Result;
use base::arguments::Usage;
use base::sys;
use sql_wire::Kind;
use sql_wire::endpoint::Endpoint;

/// Descriptors besides those of connections: files, timers, the ledger.
const OTHERS: u64 = 32;
/// By ODBC a connection is a pair of sockets and that of the driver.
const BY_ODBC: u64 = 3;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_odbc_a_connection_has_three_descriptors() {
        let endpoint = |text: &str| [text.parse::<Endpoint>().unwrap()];
        assert_eq!(descriptors(endpoint("db:5432").iter(), 10), 10 + OTHERS);
        assert_eq!(descriptors(endpoint("odbc:DSN=x").iter(), 10), 30 + OTHERS);
    }
}
