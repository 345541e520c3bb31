//! sysbench 1.0.20's own options, which a script reads in `sysbench.opt` and people write behind `--`.

use super::ask::Ignored;
use super::option_value::{Kind, value};
use mlua::{Lua, Table};
use sql_wire::Kind as Server;
use workloads::RunFacts;
use workloads::distribution::{DistributionOptions, Shape};

/// What those that mean something here say.
#[derive(Default)]
pub struct General {
    pub distribution: DistributionOptions,
    pub ignored: Ignored,
}

/// What becomes of one that is given.
#[derive(Clone, Copy)]
enum Given {
    /// The script sees it, and it has its effect if it has any.
    Taken,
    /// It is something else here: what to use.
    Use(&'static str),
    /// It is not needed here, and why.
    Leave(&'static str),
}
use Given::{Leave, Taken, Use};

const CONNECTIONS: Given = Use("--connections N");
const TRANSACTIONS: Given = Use("--transactions N");
const DURATION: Given = Use("--duration 60s");
const RATE: Given = Use("--rate N");
const DSN: Given = Use("--dsn URL");
const TLS: Given = Use("--tls MODE");
const LEFT_OUT: Given = Leave("there is no such thing here");

/// Name, type, sysbench's default, what becomes of it.
const ALL: [(&str, Kind, &str, Given); 50] = [
    ("threads", Kind::Int, "1", CONNECTIONS),
    ("num_threads", Kind::Int, "1", CONNECTIONS),
    ("events", Kind::Int, "0", TRANSACTIONS),
    ("max_requests", Kind::Int, "0", TRANSACTIONS),
    ("time", Kind::Int, "10", DURATION),
    ("max_time", Kind::Int, "0", DURATION),
    ("rate", Kind::Int, "0", RATE),
    ("tx_rate", Kind::Int, "0", RATE),
    ("warmup_time", Kind::Int, "0", Use("--warmup 10s")),
    (
        "forced_shutdown",
        Kind::String,
        "off",
        Leave("two seconds after its time a load ends in any case"),
    ),
    ("thread_stack_size", Kind::Size, "64K", LEFT_OUT),
    ("thread_init_timeout", Kind::Int, "30", LEFT_OUT),
    (
        "report_interval",
        Kind::Int,
        "0",
        Leave("a line is printed each second"),
    ),
    (
        "report_checkpoints",
        Kind::List,
        "",
        Use("--out DIR, which has each second in timeline.csv"),
    ),
    (
        "percentile",
        Kind::Int,
        "95",
        Leave("p50, p95, p99 and p99.9 are reported"),
    ),
    (
        "histogram",
        Kind::Bool,
        "off",
        Use("--out DIR, which has the histogram in latency.hlog"),
    ),
    ("verbosity", Kind::Int, "3", Use("--quiet")),
    ("debug", Kind::Bool, "off", Taken),
    ("validate", Kind::Bool, "off", Taken),
    ("help", Kind::Bool, "off", Taken),
    ("version", Kind::Bool, "off", Use("fivenines --version")),
    (
        "config_file",
        Kind::String,
        "",
        Use("the options that are in it"),
    ),
    ("luajit_cmd", Kind::String, "", LEFT_OUT),
    ("rand_type", Kind::String, "special", Taken),
    ("rand_spec_iter", Kind::Int, "12", Taken),
    ("rand_spec_pct", Kind::Int, "1", Taken),
    ("rand_spec_res", Kind::Int, "75", Taken),
    ("rand_seed", Kind::Int, "0", Use("--seed N")),
    ("rand_pareto_h", Kind::Number, "0.2", Taken),
    ("rand_zipfian_exp", Kind::Number, "0.8", Taken),
    ("db_driver", Kind::String, "mysql", DSN),
    ("db_ps_mode", Kind::String, "auto", Taken),
    ("db_debug", Kind::Bool, "off", Taken),
    ("mysql_host", Kind::List, "localhost", DSN),
    ("mysql_port", Kind::List, "3306", DSN),
    ("mysql_socket", Kind::List, "", DSN),
    ("mysql_user", Kind::String, "sbtest", DSN),
    ("mysql_password", Kind::String, "", DSN),
    ("mysql_db", Kind::String, "sbtest", DSN),
    ("mysql_ssl", Kind::Bool, "off", TLS),
    ("mysql_ssl_cipher", Kind::String, "", TLS),
    ("mysql_compression", Kind::Bool, "off", LEFT_OUT),
    ("mysql_debug", Kind::Bool, "off", Taken),
    ("mysql_ignore_errors", Kind::List, "1213,1020,1205", Taken),
    ("mysql_dry_run", Kind::Bool, "off", Use("--dsn noop://")),
    ("pgsql_host", Kind::String, "localhost", DSN),
    ("pgsql_port", Kind::Int, "5432", DSN),
    ("pgsql_user", Kind::String, "sbtest", DSN),
    ("pgsql_password", Kind::String, "", DSN),
    ("pgsql_db", Kind::String, "sbtest", DSN),
];

/// Those that sysbench declares as files: without one they are nil.
const NIL: [&str; 2] = ["config_file", "luajit_cmd"];

/// Puts all of them at their defaults.
pub fn defaults(lua: &Lua, into: &Table, server: Server) -> Result<(), String> {
    for (name, kind, default, _) in ALL {
        if !NIL.contains(&name) {
            let value = value(lua, kind, name, default)?;
            set(into, name, value)?;
        }
    }
    set(into, "db_driver", driver(server))
}

/// sysbench's name for a driver.
pub fn driver(server: Server) -> &'static str {
    match server {
        Server::Postgres => "pgsql",
        _ => "mysql",
    }
}

/// Puts in what the run is like.
pub fn of_run(lua: &Lua, into: &Table, server: Server, facts: &RunFacts) -> Result<(), String> {
    let numbers = [
        ("threads", facts.clients as f64),
        ("num_threads", facts.clients as f64),
        ("events", facts.transactions as f64),
        ("max_requests", facts.transactions as f64),
        ("time", facts.seconds),
        ("max_time", facts.seconds),
        ("rate", facts.rate),
        ("tx_rate", facts.rate),
        ("rand_seed", facts.seed as f64),
    ];
    for (name, number) in numbers {
        set(into, name, number)?;
    }
    let account = &facts.account;
    let prefix = driver(server);
    for (name, text) in [
        ("user", &account.user),
        ("password", &account.password),
        ("db", &account.database),
    ] {
        set(into, &format!("{prefix}_{name}"), text.as_str())?;
    }
    let list = |text: &str| value(lua, Kind::List, "", text);
    let port = account.port.to_string();
    match server {
        Server::Postgres => {
            set(into, "pgsql_host", account.host.as_str())?;
            set(into, "pgsql_port", f64::from(account.port))
        }
        _ => {
            set(into, "mysql_host", list(&account.host)?)?;
            set(into, "mysql_port", list(&port)?)?;
            let socket = account.socket.as_deref().unwrap_or_default();
            set(into, "mysql_socket", list(socket)?)
        }
    }
}

fn set(into: &Table, name: &str, value: impl mlua::IntoLua) -> Result<(), String> {
    into.raw_set(name, value).map_err(|error| error.to_string())
}

/// What is to be done about one that was given.
pub enum Answer {
    /// sysbench has no such option.
    Unknown,
    Taken,
    /// What to do instead.
    Instead(String),
}

/// Takes an option that means something here.
pub fn take(
    lua: &Lua,
    into: &Table,
    general: &mut General,
    name: &str,
    text: &str,
) -> Result<Answer, String> {
    let Some((_, kind, _, given)) = ALL.iter().find(|(known, ..)| *known == name) else {
        return Ok(Answer::Unknown);
    };
    match given {
        Taken => {}
        Use(instead) => return Ok(Answer::Instead(format!("use {instead}"))),
        Leave(reason) => return Ok(Answer::Instead(format!("leave it out, {reason}"))),
    }
    apply(general, name, text)?;
    set(into, name, value(lua, *kind, name, text)?)?;
    Ok(Answer::Taken)
}

/// The effect of those that have one.
fn apply(general: &mut General, name: &str, found: &str) -> Result<(), String> {
    let dashed = name.replace('_', "-");
    let wrong = |what: &str| format!("--{dashed}: expected {what}, found '{found}'");
    let whole = |most: u32| match found.parse::<u32>() {
        Ok(number) if number <= most => Ok(number),
        _ => Err(wrong(&format!("a whole number up to {most}"))),
    };
    let number = |fits: fn(f64) -> bool| match found.parse::<f64>() {
        Ok(number) if fits(number) => Ok(number),
        _ => Err(wrong("a number that fits")),
    };
    let options = &mut general.distribution;
    match name {
        "rand_type" => {
            options.distribution = Shape::named(&found.to_ascii_lowercase())
                .ok_or_else(|| wrong("special, uniform, pareto, gaussian or zipfian"))?;
        }
        "rand_spec_iter" => options.rand_spec_iter = whole(10_000)?.max(1),
        "rand_spec_pct" => options.rand_spec_pct = whole(100)?,
        "rand_spec_res" => options.rand_spec_res = whole(99)?,
        "rand_pareto_h" => options.rand_pareto_h = number(|h| h > 0.0 && h < 1.0)?,
        "rand_zipfian_exp" => {
            options.rand_zipfian_exp = number(|exponent| exponent >= 0.0 && exponent.is_finite())?;
        }
        "db_ps_mode" if !["auto", "disable"].contains(&found) => {
            return Err(wrong("auto or disable"));
        }
        "mysql_ignore_errors" => {
            general.ignored = match found {
                "all" => Ignored::All,
                _ => Ignored::Numbers(
                    found
                        .split(',')
                        .map(|number| number.parse().map_err(|_| wrong("numbers, or all")))
                        .collect::<Result<_, _>>()?,
                ),
            };
        }
        _ => {}
    }
    Ok(())
}
