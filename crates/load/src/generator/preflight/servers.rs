//! Before the run: is there a usable server at all, with the tables that the workload needs?

use super::kept_settings;
use crate::generator::args::Args;
use crate::generator::endpoints::Find;
use crate::ledger;
use crate::probes;
use anyhow::{Result, anyhow, bail};
use sql_wire::blocking::Client;
use sql_wire::endpoint::Endpoint;
use sql_wire::role::{self, Verdict, Wanted};
use sql_wire::{Class, Credentials, Failure, Kind, committing, storage};
use std::rc::Rc;
use std::time::{Duration, Instant};
use workloads::Workload;

const PAUSE: Duration = Duration::from_millis(100);
/// For one server: a silent one must not use up the time in which another could be found.
const CONNECT: Duration = Duration::from_secs(1);
/// Codes of failures that a setting of the server causes.
const OF_SETTINGS: [&str; 2] = [storage::CODE, committing::CODE];

/// The greatest numbers in the tables into which runs write their own rows.
#[derive(Default)]
pub struct Greatest {
    pub ledger: i64,
    pub probes: i64,
    /// What new sessions are sent so that each statement commits.
    pub commit_each: Option<&'static str>,
}

/// Checks the requirements of the run and creates its additional tables.
pub fn check(
    args: &Args,
    credentials: &Credentials,
    workload: &dyn Workload,
    alongside: &[(Rc<dyn Workload>, f64)],
) -> Result<Greatest> {
    if args.driver == Kind::Noop {
        return Ok(Greatest::default());
    }
    let deadline = Instant::now() + args.start_timeout;
    let (endpoints, wanted) = workers_need(args, workload);
    let setup = args.session_setup(args.driver, workload);
    let (commit_each, lost) = try_until(deadline, endpoints, |endpoint| {
        let mut client = usable(args, endpoint, credentials, wanted)?;
        let by_script = !workload.relies_on_autocommit();
        let commit_each = match by_script {
            true => None,
            false => client.commit_each(args.driver)?,
        };
        if let Some(table) = workload.required_table() {
            client.query(&format!("SELECT 1 FROM {table} WHERE 1 = 0"))?;
            storage::require_transactions(&mut client, args.driver, table)?;
        }
        workload.ready(&mut client)?;
        drop(client);
        let connect = || usable(args, endpoint, credentials, wanted);
        if by_script && args.driver == Kind::Mysql {
            // A script gets the server as it is, and no statement that the user has not written.
            let mut session = connect()?;
            for sql in &setup {
                session.query(sql)?;
            }
            session.require_plain_commits(args.driver)?;
        }
        let lost = kept_settings::lost(args.driver, &setup, connect)?;
        Ok((commit_each, lost.map(|why| format!("{endpoint}: {why}"))))
    })?;
    if let Some(why) = lost {
        bail!("a setting of the load's sessions is not in effect: {why}");
    }
    if args.ledger_rate == 0.0 && alongside.is_empty() && args.probes.probe_every.is_none() {
        return Ok(Greatest {
            commit_each,
            ..Greatest::default()
        });
    }
    let wanted = match args.find {
        Find::Writable => Wanted::Writable,
        Find::Any => Wanted::Readable,
    };
    try_until(deadline, &args.write, |endpoint| {
        let mut client = usable(args, endpoint, credentials, wanted)?;
        let commit_each = committing::both(commit_each, client.commit_each(args.driver)?);
        for (workload, _) in alongside {
            workload.ready(&mut client)?;
        }
        let (kind, table) = (args.driver, &args.ledger_table);
        Ok(Greatest {
            commit_each,
            ledger: prepare_table(&mut client, kind, table, &ledger::create(kind, table))?,
            probes: match args.probes.probe_every {
                Some(_) => {
                    prepare_table(&mut client, kind, probes::TABLE, &[probes::create(kind)])?
                }
                None => 0,
            },
        })
    })
}

/// A server as the run's writes want it, for what a workload has left to say after the run.
pub fn connect(args: &Args, credentials: &Credentials) -> Result<Client, Failure> {
    let wanted = match args.find {
        Find::Writable => Wanted::Writable,
        Find::Any => Wanted::Readable,
    };
    let mut last = Failure::lost();
    for endpoint in &args.write {
        let committing = usable(args, endpoint, credentials, wanted)
            .and_then(|mut client| client.commit_each(args.driver).map(|_| client));
        match committing {
            Ok(client) => return Ok(client),
            Err(failure) => last = failure,
        }
    }
    Err(last)
}

fn workers_need<'a>(args: &'a Args, workload: &dyn Workload) -> (&'a [Endpoint], Wanted) {
    let only_reads = workload.transactions().iter().all(|of| !of.writes);
    if only_reads && !args.read.is_empty() {
        return (args.read_endpoints(), Wanted::Readable);
    }
    match args.find {
        Find::Writable => (&args.write, Wanted::Writable),
        Find::Any => (&args.write, Wanted::Readable),
    }
}

/// Makes a table of ours where it is missing; the greatest number in it.
fn prepare_table(
    client: &mut Client,
    kind: Kind,
    table: &str,
    create: &[String],
) -> Result<i64, Failure> {
    let make = |client: &mut Client| {
        create
            .iter()
            .try_for_each(|one| client.query(one).map(drop))
    };
    storage::require_transactions(client, kind, table)?;
    if !kind.is_by_odbc_alone() {
        make(client)?;
    }
    let greatest = ledger::greatest(table);
    match client.query(&greatest) {
        // its CREATE TABLE knows no IF NOT EXISTS
        Err(failure) if kind.is_by_odbc_alone() && failure.class == Class::MissingTable => {
            make(client)?;
            client.query(&greatest)?;
        }
        answered => drop(answered?),
    }
    Ok(client.rows().int(0, 0).unwrap_or(0).max(0))
}

/// Connects and makes sure that the server is what is wanted.
fn usable(
    args: &Args,
    endpoint: &Endpoint,
    credentials: &Credentials,
    wanted: Wanted,
) -> Result<Client, Failure> {
    let bound = args.bounds.connect_timeout.min(CONNECT);
    let mut client = Client::connect(args.driver, endpoint, credentials, bound)?;
    let mut question = role::question(args.driver, wanted);
    while let Some(asked) = question {
        client.query(asked)?;
        question = match role::judge(asked, client.rows()) {
            Verdict::Yes => None,
            Verdict::Ask(next) => Some(next),
            Verdict::No(failure) => return Err(failure),
        };
    }
    Ok(client)
}

/// Goes round the endpoints until one serves; gives up early when waiting cannot help with any.
fn try_until<T>(
    deadline: Instant,
    endpoints: &[Endpoint],
    mut attempt: impl FnMut(&Endpoint) -> Result<T, Failure>,
) -> Result<T> {
    loop {
        let mut failures = Vec::new();
        for endpoint in endpoints {
            match attempt(endpoint) {
                Ok(value) => return Ok(value),
                Err(failure) => failures.push((endpoint, failure)),
            }
        }
        let hopeless = failures.iter().all(|(_, failure)| {
            failure.class.permanent() || OF_SETTINGS.contains(&failure.code.as_str())
        });
        if hopeless || Instant::now() >= deadline {
            let reasons: Vec<String> = failures
                .iter()
                .map(|(endpoint, failure)| format!("{endpoint}: {failure}"))
                .collect();
            return Err(anyhow!("no usable server: {}", reasons.join("; ")));
        }
        std::thread::sleep(PAUSE);
    }
}
