//! sysbench 1.0.20's OLTP family: eight transactions over tables sbtest1..N.
//!
//! Two differences, both cheaper for the client and neutral for what the server stores: `insert` uses a
//! prepared statement where sysbench sends text, and statements are prepared on first use.

mod data;
mod options;

pub use data::OltpData;
pub use options::OltpOptions;

use super::client::Call;
use super::distribution::Distribution;
use super::{Client, End, Running, TransactionType, Workload};
use anyhow::Result;
use base::arguments::Usage;
use data::{C_GROUPS, PAD_GROUPS, groups};
use sql_wire::{Effect, Failure, Kind, Statement, Type};
use std::rc::Rc;

/// sysbench's names, as the command line and `load.json` have them.
pub const NAMES: &[&str] = &[
    "oltp_point_select",
    "oltp_read_only",
    "oltp_write_only",
    "oltp_read_write",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_insert",
    "oltp_delete",
];

/// In the order of `NAMES`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transaction {
    PointSelect,
    ReadOnly,
    WriteOnly,
    ReadWrite,
    UpdateIndex,
    UpdateNonIndex,
    Insert,
    Delete,
}

const TRANSACTIONS: [Transaction; 8] = [
    Transaction::PointSelect,
    Transaction::ReadOnly,
    Transaction::WriteOnly,
    Transaction::ReadWrite,
    Transaction::UpdateIndex,
    Transaction::UpdateNonIndex,
    Transaction::Insert,
    Transaction::Delete,
];

/// The statements that exist once for each table, in the order of `SQL`.
#[derive(Clone, Copy)]
enum On {
    PointSelect,
    SimpleRange,
    SumRange,
    OrderRange,
    DistinctRange,
    IndexUpdate,
    NonIndexUpdate,
    Delete,
    Insert,
    AutomaticInsert,
}

/// Name, effect, text with {} for the table's number, and parameter types.
const SQL: [(&str, Effect, &str, &[Type]); 10] = [
    (
        "point_select",
        Effect::Read,
        "SELECT c FROM sbtest{} WHERE id=?",
        &[Type::Int],
    ),
    (
        "simple_range",
        Effect::Read,
        "SELECT c FROM sbtest{} WHERE id BETWEEN ? AND ?",
        &[Type::Int, Type::Int],
    ),
    (
        "sum_range",
        Effect::Read,
        "SELECT SUM(k) FROM sbtest{} WHERE id BETWEEN ? AND ?",
        &[Type::Int, Type::Int],
    ),
    (
        "order_range",
        Effect::Read,
        "SELECT c FROM sbtest{} WHERE id BETWEEN ? AND ? ORDER BY c",
        &[Type::Int, Type::Int],
    ),
    (
        "distinct_range",
        Effect::Read,
        "SELECT DISTINCT c FROM sbtest{} WHERE id BETWEEN ? AND ? ORDER BY c",
        &[Type::Int, Type::Int],
    ),
    (
        "index_update",
        Effect::Write,
        "UPDATE sbtest{} SET k=k+1 WHERE id=?",
        &[Type::Int],
    ),
    (
        "non_index_update",
        Effect::Write,
        "UPDATE sbtest{} SET c=? WHERE id=?",
        &[Type::Text, Type::Int],
    ),
    (
        "delete",
        Effect::Write,
        "DELETE FROM sbtest{} WHERE id=?",
        &[Type::Int],
    ),
    (
        "insert",
        Effect::Write,
        "INSERT INTO sbtest{} (id, k, c, pad) VALUES (?, ?, ?, ?)",
        &[Type::Int, Type::Int, Type::Text, Type::Text],
    ),
    (
        "insert",
        Effect::Write,
        "INSERT INTO sbtest{} (k, c, pad) VALUES (?, ?, ?)",
        &[Type::Int, Type::Text, Type::Text],
    ),
];

pub struct Oltp {
    transaction: Transaction,
    kind: Kind,
    options: OltpOptions,
    distribution: Distribution,
    types: [TransactionType; 1],
}

/// The workload of this name.
pub fn make(name: &str, kind: Kind, options: &OltpOptions) -> Result<Rc<dyn Workload>> {
    let position = NAMES.iter().position(|&known| known == name);
    let transaction = TRANSACTIONS[position.unwrap_or_default()];
    let oltp = Oltp::new(transaction, kind, *options);
    if !oltp.does_something() {
        return Err(Usage::error(
            "a transaction of this workload has no statements: raise one of the counts",
        ));
    }
    if kind.is_by_odbc_alone() && transaction == Transaction::Insert && options.auto_inc {
        return Err(Usage::error(format!(
            "oltp_insert: rows have no numbers of the server's in {}: set auto_inc to false",
            kind.name()
        )));
    }
    Ok(Rc::new(oltp))
}

impl Oltp {
    fn new(transaction: Transaction, kind: Kind, options: OltpOptions) -> Oltp {
        let writes = !matches!(
            transaction,
            Transaction::PointSelect | Transaction::ReadOnly
        );
        let name = NAMES[transaction as usize];
        Oltp {
            transaction,
            kind,
            options,
            distribution: Distribution::new(options.distribution()),
            types: [TransactionType::new(name, writes)],
        }
    }

    /// False when its parameters leave it without statements.
    fn does_something(&self) -> bool {
        let options = &self.options;
        let ranges = self.ranges().map(|(_, count)| count).iter().sum::<u32>();
        let reads = options.point_selects + ranges;
        let changes = options.index_updates + options.non_index_updates + options.delete_inserts;
        match self.transaction {
            Transaction::ReadOnly => reads > 0,
            Transaction::WriteOnly => changes > 0,
            Transaction::ReadWrite => reads + changes > 0,
            Transaction::UpdateIndex => options.index_updates > 0,
            Transaction::UpdateNonIndex => options.non_index_updates > 0,
            Transaction::PointSelect | Transaction::Insert | Transaction::Delete => true,
        }
    }

    async fn transaction(&self, client: &Client) -> Result<(), Failure> {
        let options = &self.options;
        match self.transaction {
            Transaction::PointSelect => self.point_selects(client, 1).await,
            Transaction::ReadOnly | Transaction::WriteOnly | Transaction::ReadWrite => {
                self.several(client).await
            }
            Transaction::UpdateIndex => self.index_updates(client, options.index_updates).await,
            Transaction::UpdateNonIndex => {
                let count = options.non_index_updates;
                self.non_index_updates(client, count).await
            }
            Transaction::Insert => self.insert(client).await,
            Transaction::Delete => {
                let (table, row) = (self.table(client), self.row(client));
                self.on(client, On::Delete, table).int(row).await.map(drop)
            }
        }
    }

    /// Reads, changes or both, in a transaction unless the user wants none.
    async fn several(&self, client: &Client) -> Result<(), Failure> {
        let bare = self.options.skip_trx;
        if !bare {
            client.begin().await?;
        }
        if self.transaction != Transaction::WriteOnly {
            self.reads(client).await?;
        }
        if self.transaction != Transaction::ReadOnly {
            self.changes(client).await?;
        }
        if !bare {
            client.commit().await?;
        }
        Ok(())
    }

    async fn reads(&self, client: &Client) -> Result<(), Failure> {
        self.point_selects(client, self.options.point_selects)
            .await?;
        for (which, count) in self.ranges() {
            let table = self.table(client);
            for _ in 0..count {
                let first = self.row(client);
                let last = first.saturating_add(self.options.range_size as i32 - 1);
                self.on(client, which, table).int(first).int(last).await?;
            }
        }
        Ok(())
    }

    /// The kinds of range selects, and how many a transaction has.
    fn ranges(&self) -> [(On, u32); 4] {
        let options = &self.options;
        [
            (On::SimpleRange, options.simple_ranges),
            (On::SumRange, options.sum_ranges),
            (On::OrderRange, options.order_ranges),
            (On::DistinctRange, options.distinct_ranges),
        ]
    }

    async fn point_selects(&self, client: &Client, count: u32) -> Result<(), Failure> {
        let table = self.table(client);
        for _ in 0..count {
            let row = self.row(client);
            self.on(client, On::PointSelect, table).int(row).await?;
        }
        Ok(())
    }

    async fn changes(&self, client: &Client) -> Result<(), Failure> {
        let options = &self.options;
        self.index_updates(client, options.index_updates).await?;
        self.non_index_updates(client, options.non_index_updates)
            .await?;
        let table = self.table(client);
        for _ in 0..options.delete_inserts {
            let row = self.row(client);
            self.on(client, On::Delete, table).int(row).await?;
            let insert = self.on(client, On::Insert, table).int(row);
            self.content(client, insert).await?;
        }
        Ok(())
    }

    async fn index_updates(&self, client: &Client, count: u32) -> Result<(), Failure> {
        let table = self.table(client);
        for _ in 0..count {
            let row = self.row(client);
            self.on(client, On::IndexUpdate, table).int(row).await?;
        }
        Ok(())
    }

    async fn non_index_updates(&self, client: &Client, count: u32) -> Result<(), Failure> {
        let table = self.table(client);
        for _ in 0..count {
            let update = self.on(client, On::NonIndexUpdate, table);
            let update = update.text_by(|out| groups(&mut client.rng(), C_GROUPS, out));
            update.int(self.row(client)).await?;
        }
        Ok(())
    }

    async fn insert(&self, client: &Client) -> Result<(), Failure> {
        let table = self.table(client);
        let insert = if self.options.auto_inc {
            self.on(client, On::AutomaticInsert, table)
        } else {
            // Any 31-bit number may come twice; a duplicate key is counted and the run goes on.
            let row = (client.rng().next_u64() >> 33) as i32;
            self.on(client, On::Insert, table).int(row)
        };
        self.content(client, insert).await.map(drop)
    }

    /// k, c and pad of a new row.
    fn content<'a>(&self, client: &'a Client, insert: Call<'a>) -> Call<'a> {
        insert
            .int(self.row(client))
            .text_by(|out| groups(&mut client.rng(), C_GROUPS, out))
            .text_by(|out| groups(&mut client.rng(), PAD_GROUPS, out))
    }

    fn on<'a>(&self, client: &'a Client, which: On, table: usize) -> Call<'a> {
        client.call(which as usize * self.options.tables as usize + table)
    }

    /// A table's number, from 0.
    fn table(&self, client: &Client) -> usize {
        client.rng().uniform(0, self.options.tables - 1) as usize
    }

    fn row(&self, client: &Client) -> i32 {
        let last = self.options.table_size;
        self.distribution.pick(&mut client.rng(), 1, last) as i32
    }
}

impl Workload for Oltp {
    fn name(&self) -> &str {
        &self.types[0].name
    }

    fn transactions(&self) -> &[TransactionType] {
        &self.types
    }

    fn statements(&self) -> Vec<Statement> {
        let mut all = Vec::new();
        for (name, effect, sql, types) in SQL {
            for table in 1..=self.options.tables {
                let sql = sql.replace("{}", &table.to_string());
                all.push(Statement::new(self.kind, name, effect, &sql, types));
            }
        }
        all
    }

    fn required_table(&self) -> Option<&str> {
        Some("sbtest1")
    }

    fn pick(&self, _client: &Client) -> Option<usize> {
        Some(0)
    }

    fn run(self: Rc<Self>, _which: usize, client: Rc<Client>) -> Running {
        Box::pin(async move { self.transaction(&client).await.map(|()| End::Committed) })
    }
}

#[cfg(test)]
mod tests;
