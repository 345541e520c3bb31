//! Do a session's settings outlive its transactions? A pooler that changes the server between two transactions
//! forgets them, or gives them to the sessions of others, and says nothing.
//!
//! A connection makes the settings, as those of the load do, and asks for them between two transactions. Before it
//! asks again, other connections open a transaction each: such a pooler then has to give it another server, for the
//! one that the settings were made on is taken. A pool of one server answers no client meanwhile; all sessions share
//! that server's settings, so that there is nothing to find.

use sql_wire::blocking::Client;
use sql_wire::{Class, Failure, Kind};
use std::time::Duration;

/// Connections that hold a server each; more than one, for poolers that give out their servers in turn.
const HOLDERS: usize = 2;
/// For an answer while others hold servers.
const PATIENCE: Duration = Duration::from_secs(2);

/// A setting as a session can be asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Setting {
    name: String,
    question: String,
    /// The value that was asked for, where its spelling is known; else that which the session shows at first.
    wanted: Option<String>,
}

/// Says which of the settings does not outlive a transaction, in a sentence; None: none was seen to be lost.
pub fn lost(
    kind: Kind,
    setup: &[String],
    mut connect: impl FnMut() -> Result<Client, Failure>,
) -> Result<Option<String>, Failure> {
    let settings: Vec<Setting> = setup.iter().flat_map(|sql| asked_by(kind, sql)).collect();
    if settings.is_empty() {
        return Ok(None);
    }
    let mut client = connect()?;
    for sql in setup {
        client.query(sql)?;
    }
    let mut before = Vec::new();
    for setting in &settings {
        before.push(value_of(&mut client, setting)?);
    }
    let mut holders = Vec::new();
    for _ in 0..HOLDERS {
        match held(&mut connect) {
            Ok(holder) => holders.push(holder),
            // a small pool is full
            Err(_) => break,
        }
    }
    client.set_timeout(PATIENCE)?;
    for (setting, before) in settings.iter().zip(before) {
        let now = match value_of(&mut client, setting) {
            Ok(now) => now,
            Err(failure) if matches!(failure.class, Class::Timeout | Class::Refused) => break,
            Err(failure) => return Err(failure),
        };
        let wanted = setting.wanted.clone().or(before);
        if let (Some(wanted), Some(now)) = (wanted, now)
            && wanted != now
        {
            let name = &setting.name;
            return Ok(Some(format!(
                "{name} = {wanted} was set, and a later transaction of the same connection has {now}: a pooler \
                 that changes the server between two transactions loses what a session sets. Pool sessions \
                 instead of transactions, or set it at the server"
            )));
        }
    }
    Ok(None)
}

/// A connection with a transaction open.
fn held(connect: &mut impl FnMut() -> Result<Client, Failure>) -> Result<Client, Failure> {
    let mut holder = connect()?;
    holder.set_timeout(PATIENCE)?;
    holder.query("START TRANSACTION")?;
    holder.query("SELECT 1")?;
    Ok(holder)
}

/// The value as the server writes it, in lower case; None: it does not show such a setting.
fn value_of(client: &mut Client, setting: &Setting) -> Result<Option<String>, Failure> {
    match client.query(&setting.question) {
        Ok(_) => {}
        Err(failure) if failure.ends_session() => return Err(failure),
        Err(_) => return Ok(None),
    }
    let rows = client.rows();
    // SHOW VARIABLES of MySQL has the name first
    let value = rows.text(0, 1).or_else(|| rows.text(0, 0));
    Ok(value.map(|text| text.to_lowercase().replace('-', " ")))
}

/// The settings that a statement makes for the whole session; none where it makes others, or cannot be read.
fn asked_by(kind: Kind, sql: &str) -> Vec<Setting> {
    if !matches!(kind, Kind::Mysql | Kind::Postgres) {
        return Vec::new();
    }
    let sql = sql.trim().trim_end_matches(';');
    let lower = sql.to_lowercase();
    let Some(rest) = lower.strip_prefix("set ") else {
        return Vec::new();
    };
    if let Some((scope, level)) = rest.split_once("isolation level ") {
        return match scope.contains("session") {
            true => vec![isolation(kind, level)],
            false => Vec::new(),
        };
    }
    let parts = rest.split(',').filter_map(|part| {
        let (name, _) = part
            .split_once('=')
            .or_else(|| (kind == Kind::Postgres).then(|| part.split_once(" to "))?)?;
        let name = name.trim().trim_start_matches("session ");
        let name = name.trim_start_matches("@@session.").trim();
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_.".contains(letter);
        let plain = !name.is_empty() && name.chars().all(is_name);
        plain.then(|| Setting {
            name: name.to_string(),
            question: match kind {
                Kind::Postgres => format!("SHOW {name}"),
                _ => format!("SELECT @@SESSION.{name}"),
            },
            wanted: None,
        })
    });
    parts.collect()
}

fn isolation(kind: Kind, rest: &str) -> Setting {
    let words: Vec<&str> = rest
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let length = if words.first() == Some(&"serializable") {
        1
    } else {
        2
    };
    Setting {
        name: "transaction_isolation".to_string(),
        question: match kind {
            Kind::Postgres => "SHOW transaction_isolation".to_string(),
            // of MySQL and of all MariaDB servers
            _ => "SHOW SESSION VARIABLES WHERE Variable_name IN ('transaction_isolation', 'tx_isolation')"
                .to_string(),
        },
        wanted: Some(words[..length.min(words.len())].join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(kind: Kind, sql: &str) -> Vec<String> {
        let all = asked_by(kind, sql).into_iter();
        all.map(|one| one.question).collect()
    }

    #[test]
    fn statements_say_what_they_set() {
        let sql = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ";
        let (one, none) = (asked_by(Kind::Postgres, sql), names(Kind::Noop, sql));
        assert_eq!(one[0].wanted.as_deref(), Some("repeatable read"));
        assert!(none.is_empty());
        let sql = "set session transaction isolation level serializable, read write;";
        let one = asked_by(Kind::Mysql, sql);
        assert_eq!(one[0].wanted.as_deref(), Some("serializable"));
        let checks = "SET FOREIGN_KEY_CHECKS = 0, SESSION unique_checks=0";
        assert_eq!(
            names(Kind::Mysql, checks),
            [
                "SELECT @@SESSION.foreign_key_checks",
                "SELECT @@SESSION.unique_checks"
            ]
        );
        assert_eq!(
            names(Kind::Postgres, "SET work_mem TO '8MB'"),
            ["SHOW work_mem"]
        );
    }

    #[test]
    fn other_statements_set_nothing_that_can_be_asked_for() {
        for sql in [
            "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
            "SET NAMES utf8mb4",
            "SET @a = 1",
            "SET @@GLOBAL.x = 1",
            "USE shop",
        ] {
            assert!(names(Kind::Mysql, sql).is_empty(), "{sql}");
        }
    }
}
