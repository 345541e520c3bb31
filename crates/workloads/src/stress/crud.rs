//! crud: reads of five kinds, inserts, updates and deletes over many tables.
//!
//! No child is ever without its parent: a parent and its children are inserted in one transaction, and nothing
//! is added to a parent later. So a transaction that deletes an existing parent sees all its children.

use super::inserts::Inserts;
use super::options::CrudOptions;
use super::shape::{Shape, child_table, parent_table};
use super::values::{self, DAYS};
use crate::client::Call;
use crate::shares::pick_by_weight;
use crate::{Client, End, Running, TransactionType, Workload};
use base::rng::Rng;
use sql_wire::{Effect, Failure, Kind, Statement, Type};
use std::rc::Rc;

/// The workload, and the family of its data: its tables are those of ingest with different content.
pub const NAMES: &[&str] = &["crud"];

/// Rows that a read along an index takes.
const INDEX_ROWS: u32 = 10;
/// Days and rows of a range.
const RANGE_DAYS: u32 = 7;
const RANGE_ROWS: u32 = 100;
/// Keys of an IN list.
const LIST: usize = 10;
/// Keys that reads and updates choose from are at least so many, also when a table begins empty.
const FEWEST_KEYS: u32 = 1000;

/// Types of transactions, by position; whether they write.
const TYPES: [(&str, bool); 9] = [
    ("read_primary", false),
    ("read_index", false),
    ("read_range", false),
    ("read_in", false),
    ("read_exact", false),
    ("insert", true),
    ("update", true),
    ("delete", true),
    ("insert_batch", true),
];

/// Statements that exist once for each parent table, in the order in which they lie.
#[derive(Clone, Copy)]
enum On {
    Primary,
    Index,
    Range,
    In,
    Exact,
    Update,
    Victim,
    Delete,
}

const ALL: [On; 8] = [
    On::Primary,
    On::Index,
    On::Range,
    On::In,
    On::Exact,
    On::Update,
    On::Victim,
    On::Delete,
];

pub struct Crud {
    kind: Kind,
    shape: Shape,
    /// The usual types, and batches if there are some.
    inserts: Vec<Inserts>,
    /// The share of each type.
    weights: [f64; 9],
    types: Vec<TransactionType>,
}

/// The workload.
pub fn make(kind: Kind, options: &CrudOptions) -> Rc<dyn Workload> {
    Rc::new(Crud::new(kind, options))
}

impl Crud {
    fn new(kind: Kind, options: &CrudOptions) -> Crud {
        let shape = options.shape();
        let [select, insert, update, delete] = options.shares();
        let reads = options.read_shares().map(|share| share * select / 100.0);
        let batches = match options.mixes_inserts() {
            true => insert * options.batch_share / 100.0,
            false => 0.0,
        };
        let mut weights = [0.0; 9];
        weights[..5].copy_from_slice(&reads);
        weights[5..].copy_from_slice(&[insert - batches, update, delete, batches]);
        let usual = Inserts::new(kind, shape, options.usual_batch());
        let mut inserts = vec![usual];
        if options.mixes_inserts() {
            let behind = inserts[0].statements().len();
            inserts.push(Inserts::new(kind, shape, options.batch).behind(behind));
        }
        Crud {
            kind,
            shape,
            types: TYPES[..TYPES.len() - 2 + inserts.len()]
                .iter()
                .map(|&(name, writes)| TransactionType::new(name, writes))
                .collect(),
            inserts,
            weights,
        }
    }

    fn read<'a>(&self, client: &'a Client, which: On, parent: u32) -> Call<'a> {
        let call = self.on(client, which, parent);
        let rng = &mut client.rng();
        match which {
            On::Index => call.int(values::a(rng)),
            On::Range => {
                let first = rng.uniform(0, DAYS - RANGE_DAYS);
                call.text_by(|out| values::date(first, out))
                    .text_by(|out| values::date(first + RANGE_DAYS - 1, out))
            }
            On::In => (0..LIST).fold(call, |call, _| call.big_int(self.key(rng, parent))),
            On::Exact => {
                let number = self.key(rng, parent) as u32;
                call.text_by(|out| values::uuid(&mut values::uuid_stream(parent, number), out))
            }
            _ => call.big_int(self.key(rng, parent)),
        }
    }

    fn update<'a>(&self, client: &'a Client, parent: u32) -> Call<'a> {
        let rng = &mut client.rng();
        self.on(client, On::Update, parent)
            .int(values::a(rng))
            .text_by(|out| self.inserts[0].texts.b(rng, out))
            .big_int(self.key(rng, parent))
    }

    /// Deletes a row that is there, and its children.
    async fn delete(&self, client: &Client, parent: u32) -> Result<End, Failure> {
        let a = values::a(&mut client.rng());
        let victim = self.on(client, On::Victim, parent).int(a).rows().await?;
        if victim.rows == 0 {
            return Ok(End::Expected("no row to delete"));
        }
        let (number, date) = (victim.int(0, 0)?, victim.text(0, 1)?);
        let apart = !self.shape.foreign_keys && self.shape.children_of(parent).count() > 0;
        if apart {
            client.begin().await?;
            for child in self.shape.children_of(parent) {
                let delete = client.call(self.first() + ALL.len() * self.tables() + child as usize);
                delete.big_int(number).text(&date).await?;
            }
        }
        let delete = self.on(client, On::Delete, parent);
        let gone = delete.big_int(number).text(&date).await?.affected == 0;
        if gone {
            return Ok(End::Expected("another transaction deleted the row"));
        }
        if apart {
            client.commit().await?;
        }
        Ok(End::Committed)
    }

    /// The number of one of the rows that were there in the beginning.
    fn key(&self, rng: &mut Rng, parent: u32) -> i64 {
        let rows = self.shape.rows_of(parent).max(FEWEST_KEYS);
        i64::from(rng.uniform(1, rows))
    }

    fn on<'a>(&self, client: &'a Client, which: On, parent: u32) -> Call<'a> {
        client.call(self.first() + which as usize * self.tables() + parent as usize)
    }

    /// The position of the first statement that is not an insert.
    fn first(&self) -> usize {
        self.inserts.len() * (1 + self.tables() + self.shape.children as usize)
    }

    fn tables(&self) -> usize {
        self.shape.parents as usize
    }

    fn statement(&self, which: On, parent: u32) -> Statement {
        let table = parent_table(parent);
        let columns =
            "p.a, p.uuid, p.b, p.c, p.counter, p.time, p.partitionid, p.date, p.strrecordtype";
        let select = |condition: &str| format!("SELECT {columns} FROM {table} p WHERE {condition}");
        let (name, effect, sql, types): (_, _, _, &[Type]) = match which {
            On::Primary => (
                "read_primary",
                Effect::Read,
                select("p.autoInc >= ? ORDER BY p.autoInc LIMIT 1"),
                &[Type::BigInt],
            ),
            On::Index => (
                "read_index",
                Effect::Read,
                self.along_index(parent, columns),
                &[Type::Int],
            ),
            On::Range => (
                "read_range",
                Effect::Read,
                select(&format!("p.date BETWEEN ? AND ? LIMIT {RANGE_ROWS}")),
                &[Type::Text, Type::Text],
            ),
            On::In => (
                "read_in",
                Effect::Read,
                select(&format!("p.autoInc IN ({})", ["?"; LIST].join(", "))),
                &[Type::BigInt; LIST],
            ),
            On::Exact => (
                "read_exact",
                Effect::Read,
                select("p.uuid = ?"),
                &[Type::Text],
            ),
            On::Update => (
                "update",
                Effect::Write,
                format!(
                    "UPDATE {table} SET a = ?, b = ?, counter = counter + 1, \
                     time = CURRENT_TIMESTAMP WHERE autoInc = ?"
                ),
                &[Type::Int, Type::Text, Type::BigInt],
            ),
            On::Victim => (
                "victim",
                Effect::Read,
                format!("SELECT autoInc, date FROM {table} WHERE a >= ? ORDER BY a LIMIT 1"),
                &[Type::Int],
            ),
            On::Delete => (
                "delete",
                Effect::Write,
                format!("DELETE FROM {table} WHERE autoInc = ? AND date = ?"),
                &[Type::BigInt, Type::Text],
            ),
        };
        Statement::new(self.kind, name, effect, &sql, types.to_vec())
    }

    /// Rows from a value of the indexed column on, with their children if the table has any.
    fn along_index(&self, parent: u32, columns: &str) -> String {
        let table = parent_table(parent);
        let (more, join) = match self.shape.children_of(parent).next() {
            Some(child) => (
                ", k.stroperation",
                format!(
                    " LEFT JOIN {} k ON k.a = p.autoInc AND k.date = p.date",
                    child_table(child)
                ),
            ),
            None => ("", String::new()),
        };
        format!(
            "SELECT {columns}{more} FROM {table} p{join} WHERE p.a >= ? ORDER BY p.a LIMIT {INDEX_ROWS}"
        )
    }
}

impl Workload for Crud {
    fn name(&self) -> &str {
        NAMES[0]
    }

    fn transactions(&self) -> &[TransactionType] {
        &self.types
    }

    fn statements(&self) -> Vec<Statement> {
        let mut all: Vec<Statement> = self.inserts.iter().flat_map(Inserts::statements).collect();
        for which in ALL {
            all.extend((0..self.shape.parents).map(|parent| self.statement(which, parent)));
        }
        all.extend((0..self.shape.children).map(|child| {
            let sql = format!(
                "DELETE FROM {} WHERE a = ? AND date = ?",
                child_table(child)
            );
            let types = [Type::BigInt, Type::Text].to_vec();
            Statement::new(self.kind, "delete_child", Effect::Write, &sql, types)
        }));
        all
    }

    fn required_table(&self) -> Option<&str> {
        Some("tbtest1")
    }

    fn pick(&self, client: &Client) -> Option<usize> {
        Some(pick_by_weight(client, self.weights.iter().copied()))
    }

    fn run(self: Rc<Self>, which: usize, client: Rc<Client>) -> Running {
        Box::pin(async move {
            let parent = client.rng().uniform(0, self.shape.parents - 1);
            match which {
                read @ 0..5 => {
                    self.read(&client, ALL[read], parent).await?;
                }
                5 => self.inserts[0].run(&client, parent).await?,
                8 => self.inserts[1].run(&client, parent).await?,
                6 => {
                    if self.update(&client, parent).await?.affected == 0 {
                        return Ok(End::Expected("the row was deleted before"));
                    }
                }
                _ => return self.delete(&client, parent).await,
            }
            Ok(End::Committed)
        })
    }
}
