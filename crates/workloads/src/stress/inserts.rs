//! The transaction that ingest and crud share: a batch of parents, and a batch of children of the first.

use super::shape::{Shape, child_table, parent_table};
use super::values::{self, Parent, Texts};
use crate::Client;
use crate::client::Call;
use crate::multirow::MultiRow;
use sql_wire::{Effect, Failure, Kind, Statement, Type};

/// Positions of statements after the first: this one, one for each parent table, one for each child table.
const NUMBER: usize = 0;
const FIRST_PARENT: usize = 1;

pub struct Inserts {
    kind: Kind,
    shape: Shape,
    batch: u32,
    /// Where its statements begin.
    first: usize,
    names: [&'static str; 2],
    pub texts: Texts,
}

impl Inserts {
    /// Inserts of so many rows.
    pub fn new(kind: Kind, shape: Shape, batch: u32) -> Inserts {
        Inserts {
            kind,
            shape,
            batch,
            first: 0,
            names: ["insert", "insert_child"],
            texts: Texts::new(),
        }
    }

    /// The same in addition to other types with this many statements, which count as batches.
    pub fn behind(mut self, others: usize) -> Inserts {
        self.first = others;
        self.names = ["insert_batch", "insert_batch_child"];
        self
    }

    /// Inserts into a parent table and its children, all or nothing.
    pub async fn run(&self, client: &Client, parent: u32) -> Result<(), Failure> {
        let batch = u64::from(self.batch);
        let children = self.shape.children_of(parent).count() as u64;
        if children > 0 {
            client.begin().await?;
        }
        let (day, call) = self.parents(client, parent);
        let reply = call.rows().await?;
        if children > 0 {
            let number = match self.kind {
                Kind::Postgres => Some(reply.int(0, 0)?),
                _ if children > 1 => {
                    Some(client.call(self.first + NUMBER).rows().await?.int(0, 0)?)
                }
                _ => None,
            };
            for child in self.shape.children_of(parent) {
                self.children(client, child, number, day).await?;
            }
            client.commit().await?;
        }
        client.count_rows(batch * (1 + children));
        Ok(())
    }

    /// The call, and the day of its first row.
    fn parents<'a>(&self, client: &'a Client, parent: u32) -> (u32, Call<'a>) {
        let mut call = client.call(self.first + FIRST_PARENT + parent as usize);
        let mut first = 0;
        for number in 0..self.batch {
            let rng = &mut client.rng();
            let row = Parent::draw(rng);
            if number == 0 {
                first = row.day;
            }
            call = call
                .int(row.a)
                .text_by(|out| values::uuid(rng, out))
                .text_by(|out| self.texts.b(rng, out))
                .text_by(|out| self.texts.c(rng, out))
                .big_int(row.counter)
                .int(row.partition)
                .text_by(|out| values::date(row.day, out))
                .text_by(|out| self.texts.record_type(rng, out));
        }
        (first, call)
    }

    /// Without a number of the parent the server takes the one that it gave last.
    fn children<'a>(
        &self,
        client: &'a Client,
        child: u32,
        number: Option<i64>,
        day: u32,
    ) -> Call<'a> {
        let mut call =
            client.call(self.first + FIRST_PARENT + (self.shape.parents + child) as usize);
        for _ in 0..self.batch {
            let rng = &mut client.rng();
            if let Some(number) = number {
                call = call.big_int(number);
            }
            call = call
                .text_by(|out| values::date(day, out))
                .int(values::partition(rng))
                .text_by(|out| self.texts.operation(rng, out));
        }
        call
    }

    pub fn statements(&self) -> Vec<Statement> {
        let number = "SELECT LAST_INSERT_ID()";
        let mut all = vec![Statement::new(
            self.kind,
            "number",
            Effect::Read,
            number,
            &[],
        )];
        all.extend((0..self.shape.parents).map(|parent| self.parent_statement(parent)));
        all.extend((0..self.shape.children).map(|child| self.child_statement(child)));
        all
    }

    fn parent_statement(&self, parent: u32) -> Statement {
        let has_children = self.shape.children_of(parent).next().is_some();
        let tail = match self.kind {
            Kind::Postgres if has_children => " RETURNING autoInc",
            _ => "",
        };
        let insert = MultiRow {
            name: self.names[0],
            table: &parent_table(parent),
            columns: "a, uuid, b, c, counter, partitionid, date, strrecordtype",
            row: "(?, ?, ?, ?, ?, ?, ?, ?)",
            types: &[
                Type::Int,
                Type::Text,
                Type::Text,
                Type::Text,
                Type::BigInt,
                Type::Int,
                Type::Text,
                Type::Text,
            ],
        };
        insert.statement(self.kind, self.batch as usize, tail)
    }

    fn child_statement(&self, child: u32) -> Statement {
        let parent = self.shape.parent_of(child);
        let given = self.kind == Kind::Postgres || self.shape.children_of(parent).count() > 1;
        let (row, first): (&str, usize) = match given {
            true => ("(?, ?, ?, ?)", 0),
            false => ("(LAST_INSERT_ID(), ?, ?, ?)", 1),
        };
        let insert = MultiRow {
            name: self.names[1],
            table: &child_table(child),
            columns: "a, date, partitionid, stroperation",
            row,
            types: &[Type::BigInt, Type::Text, Type::Int, Type::Text][first..],
        };
        insert.statement(self.kind, self.batch as usize, "")
    }
}
