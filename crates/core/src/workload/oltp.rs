//! sysbench 1.0.20's OLTP family: eight transactions over tables sbtest1..N.
//!
//! Two differences, both cheaper for the client and neutral for what the server stores: `insert` uses a
//! prepared statement where sysbench sends text, and statements are prepared on first use.

mod options;

pub use options::OltpOptions;

use super::distribution::Distribution;
use super::{Cursor, Workload};
use crate::driver::{Effect, Kind, Parameters, Statement, Type};
use crate::rng::Rng;

/// sysbench's names, as the command line and `load.json` have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Transaction {
    #[value(name = "oltp_point_select")]
    PointSelect,
    #[value(name = "oltp_read_only")]
    ReadOnly,
    #[value(name = "oltp_write_only")]
    WriteOnly,
    #[value(name = "oltp_read_write")]
    ReadWrite,
    #[value(name = "oltp_update_index")]
    UpdateIndex,
    #[value(name = "oltp_update_non_index")]
    UpdateNonIndex,
    #[value(name = "oltp_insert")]
    Insert,
    #[value(name = "oltp_delete")]
    Delete,
}

/// What the statements of one group do with their parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fill {
    Nothing,
    Row,
    Range,
    NewText,
    /// A row remembered for the insert that follows, which has the same group's next turn.
    DeleteThenInsert,
    AutomaticInsert,
    NumberedInsert,
}

/// A run of statements of one kind, all on one table, as sysbench's execute_* functions.
#[derive(Clone, Copy, Debug)]
struct Group {
    fill: Fill,
    /// The statement's number for the first table.
    first: usize,
    repetitions: u32,
}

pub struct Oltp {
    transaction: Transaction,
    options: OltpOptions,
    distribution: Distribution,
    statements: Vec<Statement>,
    plan: Vec<Group>,
    /// Rows that `insert` numbers itself must not meet those of an earlier run.
    seed: u64,
}

impl Oltp {
    pub fn new(kind: Kind, transaction: Transaction, options: OltpOptions, seed: u64) -> Oltp {
        let mut oltp = Oltp {
            transaction,
            options,
            distribution: Distribution::new(options.distribution),
            statements: Vec::new(),
            plan: Vec::new(),
            seed,
        };
        oltp.make_plan(kind);
        oltp
    }

    fn make_plan(&mut self, kind: Kind) {
        let options = self.options;
        match self.transaction {
            Transaction::PointSelect => self.point_selects(kind, 1),
            Transaction::ReadOnly => self.in_transaction(kind, |plan| plan.reads(kind)),
            Transaction::WriteOnly => self.in_transaction(kind, |plan| plan.changes(kind)),
            Transaction::ReadWrite => self.in_transaction(kind, |plan| {
                plan.reads(kind);
                plan.changes(kind);
            }),
            Transaction::UpdateIndex => self.index_updates(kind, options.index_updates),
            Transaction::UpdateNonIndex => {
                self.non_index_updates(kind, options.non_index_updates);
            }
            Transaction::Insert => self.insert(kind),
            Transaction::Delete => self.delete(kind),
        }
    }

    fn in_transaction(&mut self, kind: Kind, body: impl FnOnce(&mut Oltp)) {
        let bare = self.options.skip_trx;
        if !bare {
            self.single(kind, "begin", Effect::Begin, "BEGIN");
        }
        body(self);
        if !bare {
            self.single(kind, "commit", Effect::Commit, "COMMIT");
        }
    }

    fn reads(&mut self, kind: Kind) {
        let options = self.options;
        self.point_selects(kind, options.point_selects);
        if !options.range_selects {
            return;
        }
        let ranges = [
            (
                "simple_range",
                options.simple_ranges,
                "SELECT c FROM sbtest{} WHERE id BETWEEN ? AND ?",
            ),
            (
                "sum_range",
                options.sum_ranges,
                "SELECT SUM(k) FROM sbtest{} WHERE id BETWEEN ? AND ?",
            ),
            (
                "order_range",
                options.order_ranges,
                "SELECT c FROM sbtest{} WHERE id BETWEEN ? AND ? ORDER BY c",
            ),
            (
                "distinct_range",
                options.distinct_ranges,
                "SELECT DISTINCT c FROM sbtest{} WHERE id BETWEEN ? AND ? ORDER BY c",
            ),
        ];
        for (name, repetitions, sql) in ranges {
            let first = self.add(kind, name, Effect::Read, sql, &[Type::Int, Type::Int]);
            self.group(Fill::Range, first, repetitions);
        }
    }

    fn point_selects(&mut self, kind: Kind, repetitions: u32) {
        let sql = "SELECT c FROM sbtest{} WHERE id=?";
        let first = self.add(kind, "point_select", Effect::Read, sql, &[Type::Int]);
        self.group(Fill::Row, first, repetitions);
    }

    fn changes(&mut self, kind: Kind) {
        let options = self.options;
        self.index_updates(kind, options.index_updates);
        self.non_index_updates(kind, options.non_index_updates);
        let first = self.add_delete(kind);
        self.add_insert(kind);
        self.group(Fill::DeleteThenInsert, first, options.delete_inserts * 2);
    }

    fn index_updates(&mut self, kind: Kind, repetitions: u32) {
        let sql = "UPDATE sbtest{} SET k=k+1 WHERE id=?";
        let first = self.add(kind, "index_update", Effect::Write, sql, &[Type::Int]);
        self.group(Fill::Row, first, repetitions);
    }

    fn non_index_updates(&mut self, kind: Kind, repetitions: u32) {
        let sql = "UPDATE sbtest{} SET c=? WHERE id=?";
        let types = &[Type::Text, Type::Int];
        let first = self.add(kind, "non_index_update", Effect::Write, sql, types);
        self.group(Fill::NewText, first, repetitions);
    }

    fn delete(&mut self, kind: Kind) {
        let first = self.add_delete(kind);
        self.group(Fill::Row, first, 1);
    }

    fn insert(&mut self, kind: Kind) {
        if self.options.auto_inc {
            let sql = "INSERT INTO sbtest{} (k, c, pad) VALUES (?, ?, ?)";
            let types = &[Type::Int, Type::Text, Type::Text];
            let first = self.add(kind, "insert", Effect::Write, sql, types);
            self.group(Fill::AutomaticInsert, first, 1);
        } else {
            let first = self.add_insert(kind);
            self.group(Fill::NumberedInsert, first, 1);
        }
    }

    fn add_delete(&mut self, kind: Kind) -> usize {
        let sql = "DELETE FROM sbtest{} WHERE id=?";
        self.add(kind, "delete", Effect::Write, sql, &[Type::Int])
    }

    fn add_insert(&mut self, kind: Kind) -> usize {
        let sql = "INSERT INTO sbtest{} (id, k, c, pad) VALUES (?, ?, ?, ?)";
        let types = &[Type::Int, Type::Int, Type::Text, Type::Text];
        self.add(kind, "insert", Effect::Write, sql, types)
    }

    /// Adds a statement for every table and returns the first one's number.
    fn add(
        &mut self,
        kind: Kind,
        name: &'static str,
        effect: Effect,
        sql: &str,
        types: &'static [Type],
    ) -> usize {
        let first = self.statements.len();
        for table in 1..=self.options.tables {
            let sql = sql.replace("{}", &table.to_string());
            self.statements
                .push(Statement::new(kind, name, effect, &sql, types));
        }
        first
    }

    fn single(&mut self, kind: Kind, name: &'static str, effect: Effect, sql: &str) {
        let first = self.statements.len();
        self.statements
            .push(Statement::new(kind, name, effect, sql, &[]));
        self.group(Fill::Nothing, first, 1);
    }

    fn group(&mut self, fill: Fill, first: usize, repetitions: u32) {
        if repetitions > 0 {
            self.plan.push(Group {
                fill,
                first,
                repetitions,
            });
        }
    }

    fn row(&self, rng: &mut Rng) -> u32 {
        self.distribution.pick(rng, 1, self.options.table_size)
    }

    /// Fills in parameters; returns how far behind the group's first statement the one to execute is.
    fn fill(
        &self,
        fill: Fill,
        cursor: &mut Cursor,
        rng: &mut Rng,
        parameters: &mut Parameters,
    ) -> usize {
        match fill {
            Fill::Nothing => return 0,
            Fill::Row => parameters.int(self.row(rng)),
            Fill::Range => {
                let row = self.row(rng);
                parameters.int(row);
                parameters.int(row.saturating_add(self.options.range_size - 1));
            }
            Fill::NewText => {
                parameters.text(|out| groups(rng, C_GROUPS, out));
                parameters.int(self.row(rng));
            }
            Fill::DeleteThenInsert if cursor.repetition % 2 == 1 => {
                cursor.row = self.row(rng);
                parameters.int(cursor.row);
            }
            Fill::DeleteThenInsert => {
                parameters.int(cursor.row);
                self.content(rng, parameters);
                return self.options.tables as usize;
            }
            Fill::AutomaticInsert => self.content(rng, parameters),
            Fill::NumberedInsert => {
                // Any 31-bit number may come twice; a duplicate key is counted and the run goes on.
                let mixed = Rng::new(self.seed ^ rng.next_u64(), 0).next_u64();
                parameters.int((mixed >> 33) as u32);
                self.content(rng, parameters);
            }
        }
        0
    }

    /// k, c and pad of a new row.
    fn content(&self, rng: &mut Rng, parameters: &mut Parameters) {
        parameters.int(self.row(rng));
        parameters.text(|out| groups(rng, C_GROUPS, out));
        parameters.text(|out| groups(rng, PAD_GROUPS, out));
    }
}

pub const C_GROUPS: usize = 10;
pub const PAD_GROUPS: usize = 5;

/// Groups of eleven digits with dashes between, the texts of sysbench's columns c and pad.
pub fn groups(rng: &mut Rng, count: usize, out: &mut Vec<u8>) {
    for index in 0..count {
        if index > 0 {
            out.push(b'-');
        }
        rng.digits(11, out);
    }
}

impl Workload for Oltp {
    fn name(&self) -> &'static str {
        match self.transaction {
            Transaction::PointSelect => "oltp_point_select",
            Transaction::ReadOnly => "oltp_read_only",
            Transaction::WriteOnly => "oltp_write_only",
            Transaction::ReadWrite => "oltp_read_write",
            Transaction::UpdateIndex => "oltp_update_index",
            Transaction::UpdateNonIndex => "oltp_update_non_index",
            Transaction::Insert => "oltp_insert",
            Transaction::Delete => "oltp_delete",
        }
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }

    fn writes(&self) -> bool {
        !matches!(
            self.transaction,
            Transaction::PointSelect | Transaction::ReadOnly
        )
    }

    fn does_something(&self) -> bool {
        self.plan.iter().any(|group| group.fill != Fill::Nothing)
    }

    fn needs_table(&self) -> Option<&str> {
        Some("sbtest1")
    }

    fn next(
        &self,
        cursor: &mut Cursor,
        rng: &mut Rng,
        parameters: &mut Parameters,
    ) -> Option<usize> {
        let mut group = *self.plan.get(cursor.step as usize)?;
        if cursor.repetition == group.repetitions {
            cursor.step += 1;
            cursor.repetition = 0;
            group = *self.plan.get(cursor.step as usize)?;
        }
        if cursor.repetition == 0 {
            cursor.table = match group.fill {
                Fill::Nothing => 0,
                _ => rng.uniform(0, self.options.tables - 1),
            };
        }
        cursor.repetition += 1;
        parameters.clear();
        let behind = self.fill(group.fill, cursor, rng, parameters);
        Some(group.first + cursor.table as usize + behind)
    }
}

#[cfg(test)]
mod tests;
