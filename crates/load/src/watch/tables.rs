//! What the watch writes: changes of the nodes' states, and what each node holds of the ledger.

use crate::ledger;
use crate::record::file::ResultFile;
use sql_wire::Rows;
use std::io::{self, Write};
use std::path::Path;

/// What a node is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Writable,
    ReadOnly,
    /// It answers, but takes neither reads nor writes.
    Refusing,
    /// It does not answer.
    Away,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            State::Writable => "writable",
            State::ReadOnly => "read_only",
            State::Refusing => "refusing",
            State::Away => "away",
        }
    }
}

pub struct Tables {
    nodes: ResultFile,
    views: ResultFile,
    /// t = 0 on CLOCK_MONOTONIC.
    zero_ns: u64,
    clients: usize,
}

impl Tables {
    pub fn create(folder: &Path, zero_ns: u64, clients: usize) -> io::Result<Tables> {
        let mut nodes = ResultFile::create(Some(folder), "nodes.csv")?;
        writeln!(nodes, "t_us,node,state,epoch")?;
        let mut views = ResultFile::create(Some(folder), "views.csv")?;
        writeln!(views, "t_us,node,seen")?;
        Ok(Tables {
            nodes,
            views,
            zero_ns,
            clients,
        })
    }

    pub fn state(&mut self, at: u64, node: &str, state: State, epoch: &str) -> io::Result<()> {
        let t_us = self.since_zero(at);
        writeln!(self.nodes, "{t_us},{node},{},{epoch}", state.name())?;
        // Changes are rare, and a live display may read them.
        self.nodes.flush()
    }

    pub fn view(&mut self, at: u64, node: &str, rows: &Rows) -> io::Result<()> {
        let t_us = self.since_zero(at);
        write!(self.views, "{t_us},{node},")?;
        ledger::write_seen(rows, self.clients, &mut self.views)?;
        writeln!(self.views)
    }

    /// The watch may begin before the load.
    fn since_zero(&self, at: u64) -> i64 {
        (at as i64 - self.zero_ns as i64) / 1000
    }

    pub fn finish(&mut self) -> io::Result<()> {
        self.nodes.finish()?;
        self.views.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::file::tests::folder;

    #[test]
    fn rows_have_the_columns_of_their_tables() {
        let folder = folder("watch-tables");
        let mut tables = Tables::create(&folder, 5_000_000, 2).unwrap();
        tables
            .state(4_000_000, "node1", State::Writable, "7")
            .unwrap();
        let mut rows = Rows::default();
        rows.start(2);
        rows.push_int(9);
        rows.push_null();
        tables.view(6_500_000, "node2", &rows).unwrap();
        tables.finish().unwrap();
        let read = |name| std::fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(
            read("nodes.csv"),
            "t_us,node,state,epoch\n-1000,node1,writable,7\n"
        );
        assert_eq!(
            read("views.csv"),
            "t_us,node,seen\n1500,node2,\"[9,NULL]\"\n"
        );
        std::fs::remove_dir_all(folder).unwrap();
    }
}
