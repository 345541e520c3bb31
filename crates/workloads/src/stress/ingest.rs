//! ingest: batches of rows into many tables.

use super::inserts::Inserts;
use super::options::IngestOptions;
use super::shape::Shape;
use crate::{Client, End, Running, TransactionType, Workload};
use sql_wire::{Kind, Statement};
use std::rc::Rc;

/// The workload, and the family of its data.
pub const NAMES: &[&str] = &["ingest"];

pub struct Ingest {
    shape: Shape,
    inserts: Inserts,
    types: [TransactionType; 1],
}

/// The workload.
pub fn make(kind: Kind, options: &IngestOptions) -> Rc<dyn Workload> {
    let shape = options.shape();
    Rc::new(Ingest {
        shape,
        inserts: Inserts::new(kind, shape, options.batch),
        types: [TransactionType::new("insert", true)],
    })
}

impl Workload for Ingest {
    fn name(&self) -> &str {
        NAMES[0]
    }

    fn transactions(&self) -> &[TransactionType] {
        &self.types
    }

    fn statements(&self) -> Vec<Statement> {
        self.inserts.statements()
    }

    fn required_table(&self) -> Option<&str> {
        Some("tbtest1")
    }

    fn pick(&self, _client: &Client) -> Option<usize> {
        Some(0)
    }

    fn run(self: Rc<Self>, _which: usize, client: Rc<Client>) -> Running {
        Box::pin(async move {
            let parent = client.rng().uniform(0, self.shape.parents - 1);
            self.inserts.run(&client, parent).await?;
            Ok(End::Committed)
        })
    }
}
