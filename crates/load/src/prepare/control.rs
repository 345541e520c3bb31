//! The record of data sets in the database, in two separate tables.
//!
//! `fivenines_dataset` has one row per family: the description of its data set and the number of the load
//! that makes it. `fivenines_chunk` has one row per finished chunk, written in the chunk's transaction: so a
//! load that was interrupted goes on where it was, and two loads at the same time share the work, since each
//! chunk's key is inserted once. No lock is needed beyond that, which makes it work in a Galera cluster too.
//!
//! `--drop` marks the family's row, drops the tables and then the row; the next load has another number. A
//! chunk's transaction opens the chunk's table and then looks at its load's row: when it is gone or marked it
//! gives up; else DROP TABLE has to wait for it (or, in Galera, aborts it).

use super::server::Server;
use anyhow::{Result, anyhow, bail};
use sql_wire::{Failure, Kind};
use std::collections::{HashMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};
use workloads::dataset::{DataSet, Table};

/// Keys read at a time, as a session keeps a bounded number of rows.
const PAGE: usize = 10_000;

/// A data set in one database.
pub struct Control<'a> {
    pub set: &'a dyn DataSet,
    pub tables: &'a [Table],
    /// All that its rows depend on.
    pub description: String,
}

/// A row of `fivenines_dataset`.
struct Claimed {
    load: u64,
    state: String,
    description: String,
    tables: String,
}

impl Claimed {
    fn names(&self) -> Vec<&str> {
        self.tables.split_whitespace().collect()
    }
}

/// How far a data set is.
pub enum Claim {
    /// All is there.
    Complete { load: u64 },
    /// To be loaded, or what is left of it, under this number.
    Loading { load: u64 },
}

impl Control<'_> {
    /// Makes sure that a data set of this description is there or under way.
    ///
    /// # Errors
    /// Another data set exists, or tables with these names but without a record, or some tables are missing.
    pub fn claim(&self, server: &mut Server) -> Result<Claim> {
        make_tables(server)?;
        loop {
            let Some(row) = self.row(server)? else {
                self.begin(server)?;
                continue;
            };
            if row.state == "dropping" {
                bail!("another --drop of these tables runs, or was interrupted: use --drop");
            }
            let names = row.names();
            let (count, _) = server.existing(&names)?;
            if self.row(server)?.is_none_or(|now| now.load != row.load) {
                // Another prepare has replaced the data set in between: these tables belong to the new one.
                continue;
            }
            if row.state != "creating" && count == 0 {
                self.forget(server, row.load)?;
                continue;
            }
            if row.description != self.description {
                bail!(
                    "the database has another data set of the family {} (expected: {}; found: {}): \
                     replace it with --drop",
                    self.set.family(),
                    self.description,
                    row.description,
                );
            }
            match row.state.as_str() {
                "creating" => self.create(server, row.load)?,
                _ if count < names.len() => bail!(
                    "{} of the {} tables of this data set are missing: reload it with --drop",
                    names.len() - count,
                    names.len()
                ),
                "complete" => return Ok(Claim::Complete { load: row.load }),
                _ => return Ok(Claim::Loading { load: row.load }),
            }
        }
    }

    /// Drops the data set, with all tables that it or its predecessor of another scale had.
    pub fn discard(&self, server: &mut Server) -> Result<()> {
        make_tables(server)?;
        let former = self.row(server)?;
        let mut names = self.names();
        let known: HashSet<&str> = names.iter().copied().collect();
        let others = former.iter().flat_map(Claimed::names);
        names.extend(others.filter(|name| !known.contains(name)));
        let load = former.as_ref().map_or_else(new_number, |row| row.load);
        self.mark_dropping(server, load, &names)?;
        let others = self.set.discard(server.kind);
        for sql in others {
            server.run(&sql)?;
        }
        for name in names.iter().rev() {
            server.drop_table(name)?;
        }
        Ok(self.forget(server, load)?)
    }

    /// From here on no chunk of this load is begun.
    fn mark_dropping(&self, server: &mut Server, load: u64, names: &[&str]) -> Result<(), Failure> {
        let family = server.literal(self.set.family());
        let names = server.literal(&names.join(" "));
        server.begin()?;
        server.run(&format!(
            "DELETE FROM fivenines_dataset WHERE family = {family}"
        ))?;
        server.run(&format!(
            "INSERT INTO fivenines_dataset VALUES ({family}, {load}, 'dropping', '', {names})"
        ))?;
        server.commit()
    }

    fn names(&self) -> Vec<&str> {
        self.tables
            .iter()
            .map(|table| table.name.as_str())
            .collect()
    }

    /// What is known of the family's data set.
    fn row(&self, server: &mut Server) -> Result<Option<Claimed>, Failure> {
        let family = server.literal(self.set.family());
        let rows = server.rows(&format!(
            "SELECT load_id, state, description, table_names FROM fivenines_dataset \
             WHERE family = {family}"
        ))?;
        let field = |at| rows.text(0, at).unwrap_or_default().into_owned();
        Ok(rows.int(0, 0).map(|load| Claimed {
            load: load as u64,
            state: field(1),
            description: field(2),
            tables: field(3),
        }))
    }

    /// Claims the names and creates the tables, unless another prepare is just faster.
    fn begin(&self, server: &mut Server) -> Result<()> {
        let (count, name) = server.existing(&self.names())?;
        if count > 0 && self.row(server)?.is_none() {
            bail!("table {name} exists, but prepare has not created it: replace it with --drop");
        }
        let load = new_number();
        let row = format!(
            "({}, {load}, 'creating', {}, {})",
            server.literal(self.set.family()),
            server.literal(&self.description),
            server.literal(&self.names().join(" ")),
        );
        // PostgreSQL makes all tables in this transaction; MySQL's DDL ends it.
        server.begin()?;
        if !server.insert(&format!("INSERT INTO fivenines_dataset VALUES {row}"))? {
            server.roll_back();
            return Ok(());
        }
        if server.kind == Kind::Postgres {
            self.create(server, load)
                .inspect_err(|_| server.roll_back())?;
        }
        Ok(server.commit()?)
    }

    fn create(&self, server: &mut Server, load: u64) -> Result<()> {
        if let Some(table) = self.tables.first() {
            server.require_transactions(&table.name)?;
        }
        for sql in self.set.create(server.kind) {
            server.make(&sql)?;
        }
        Ok(server.run(&format!(
            "UPDATE fivenines_dataset SET state = 'loading' \
             WHERE load_id = {load} AND state = 'creating'"
        ))?)
    }

    /// Its tables are gone.
    fn forget(&self, server: &mut Server, load: u64) -> Result<(), Failure> {
        server.run(&format!(
            "DELETE FROM fivenines_chunk WHERE load_id = {load}"
        ))?;
        server.run(&format!(
            "DELETE FROM fivenines_dataset WHERE load_id = {load}"
        ))
    }

    /// Marks the data set as complete; from then on it survives a crash.
    pub fn complete(&self, server: &mut Server, load: u64) -> Result<(), Failure> {
        server.run(&format!(
            "UPDATE fivenines_dataset SET state = 'complete' WHERE load_id = {load}"
        ))
    }
}

/// The finished chunks of a load, by table and first unit; finished steps have the table "".
pub fn finished(server: &mut Server, load: u64) -> Result<HashSet<(String, u64)>> {
    let mut finished = HashSet::new();
    let (mut part, mut first) = (String::new(), -1i64);
    loop {
        let after = server.literal(&part);
        // without it all come at once, which is no loss but memory
        let limit = match server.kind.is_by_odbc_alone() {
            true => String::new(),
            false => format!("LIMIT {PAGE}"),
        };
        let rows = server.rows(&format!(
            "SELECT part, first_unit FROM fivenines_chunk WHERE load_id = {load} \
             AND (part > {after} OR part = {after} AND first_unit > {first}) \
             ORDER BY part, first_unit {limit}"
        ))?;
        for row in 0..rows.len() {
            part = rows.text(row, 0).unwrap_or_default().trim().to_string();
            first = rows.int(row, 1).unwrap_or(0);
            finished.insert((part.clone(), first as u64));
        }
        if rows.len() < PAGE {
            return Ok(finished);
        }
    }
}

/// The rows that a load has put into each of its tables.
pub fn row_counts(server: &mut Server, load: u64) -> Result<HashMap<String, u64>, Failure> {
    let none = server.literal("");
    let rows = server.rows(&format!(
        "SELECT part, SUM(row_count) FROM fivenines_chunk \
         WHERE load_id = {load} AND part <> {none} GROUP BY part"
    ))?;
    let row = |at| {
        let name = rows.text(at, 0).unwrap_or_default().into_owned();
        (name, rows.int(at, 1).unwrap_or(0) as u64)
    };
    Ok((0..rows.len()).map(row).collect())
}

/// Whether the load is still the one that makes this data set. Opens `table` as well, see above.
pub fn is_current(server: &mut Server, load: u64, table: &str) -> Result<bool, Failure> {
    let rows = server.rows(&format!(
        "SELECT load_id FROM fivenines_dataset WHERE load_id = {load} AND state <> 'dropping' \
         AND NOT EXISTS (SELECT 1 FROM {table} WHERE 1 = 0)"
    ))?;
    Ok(!rows.is_empty())
}

/// Notes in the open transaction that a chunk or a step is done; false when it has been done before.
pub fn note(
    server: &mut Server,
    load: u64,
    part: &str,
    first: u64,
    rows: u64,
) -> Result<bool, Failure> {
    let part = server.literal(part);
    server.insert(&format!(
        "INSERT INTO fivenines_chunk VALUES ({load}, {part}, {first}, {rows})"
    ))
}

fn make_tables(server: &mut Server) -> Result<()> {
    if server.kind.is_by_odbc_alone() {
        return make_plain_tables(server);
    }
    let (ascii, text) = match server.kind {
        Kind::Postgres => ("COLLATE \"C\"", "TEXT"),
        _ => ("CHARACTER SET ascii COLLATE ascii_bin", "MEDIUMTEXT"),
    };
    let tables = [
        format!(
            "CREATE TABLE IF NOT EXISTS fivenines_dataset (family VARCHAR(64) {ascii} PRIMARY KEY, \
             load_id BIGINT NOT NULL, state VARCHAR(16) NOT NULL, description {text} NOT NULL, \
             table_names {text} NOT NULL)"
        ),
        format!(
            "CREATE TABLE IF NOT EXISTS fivenines_chunk (load_id BIGINT, part VARCHAR(64) {ascii}, \
             first_unit BIGINT, row_count BIGINT NOT NULL, PRIMARY KEY (load_id, part, first_unit))"
        ),
    ];
    for name in ["fivenines_dataset", "fivenines_chunk"] {
        server.require_transactions(name)?;
    }
    for sql in &tables {
        // PostgreSQL's IF NOT EXISTS does not look at what another session is just making.
        if server.run(sql).is_err() {
            server
                .run(sql)
                .map_err(|failure| anyhow!("the table of data sets: {failure}"))?;
        }
    }
    Ok(())
}

/// The same with types and statements that every server has; an empty text may be NULL.
fn make_plain_tables(server: &mut Server) -> Result<()> {
    let big = match server.kind {
        Kind::Oracle => "NUMBER(19)",
        _ => "BIGINT",
    };
    let tables = [
        (
            "fivenines_dataset",
            format!(
                "(family VARCHAR(64) NOT NULL, load_id {big} NOT NULL, state VARCHAR(16) NOT NULL, \
                 description VARCHAR(1800), table_names VARCHAR(1800), PRIMARY KEY (family))"
            ),
        ),
        (
            "fivenines_chunk",
            format!(
                "(load_id {big} NOT NULL, part VARCHAR(64) NOT NULL, first_unit {big} NOT NULL, \
                 row_count {big} NOT NULL, PRIMARY KEY (load_id, part, first_unit))"
            ),
        ),
    ];
    for (name, columns) in tables {
        if server.existing(&[name])?.0 == 0 {
            server
                .run(&format!("CREATE TABLE {name} {columns}"))
                .map_err(|failure| anyhow!("the table of data sets: {failure}"))?;
        }
    }
    Ok(())
}

/// Numbers of loads are never equal: the nanoseconds since 1970.
fn new_number() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(1, |since| since.as_nanos() as u64)
}
