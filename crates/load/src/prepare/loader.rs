//! Loads chunks in parallel, then runs the steps that follow the rows.

use super::args::Args;
use super::control::{self, Control};
use super::progress::Progress;
use super::queue::{Queue, Task, cut};
use super::server::Server;
use anyhow::{Context, Result, anyhow, bail};
use sql_wire::{Class, Credentials, Failure, Kind};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use workloads::dataset::{Chunk, Table};

/// A chunk that met another transaction is tried again this often, with longer and longer pauses.
const ATTEMPTS: u32 = 12;

/// Not allowed in a transaction.
const VACUUM: &str = "VACUUM";

/// Numbers of steps: those of tables are below, table by table.
const AFTER_TABLES: u64 = 1 << 40;

/// What an earlier attempt has done: chunks by table and first unit, steps by "" and number.
type Finished = HashSet<(String, u64)>;

/// What threads share while rows are loaded.
struct Work<'a> {
    queue: Queue,
    progress: Progress,
    finished: &'a Finished,
}

/// One load: everything that its threads share.
pub struct Loader<'a> {
    pub args: &'a Args,
    pub credentials: &'a Credentials,
    pub control: &'a Control<'a>,
    pub load: u64,
}

impl Loader<'_> {
    /// Does what is left of the load: the chunks and steps that are not among the `finished`.
    pub fn run(&self, finished: &Finished) -> Result<()> {
        let tables = self.control.tables;
        let mut all: Vec<Vec<Chunk>> = (0..tables.len())
            .map(|at| cut(at, &tables[at], self.args.seed))
            .collect();
        let rows = |all: &[Vec<Chunk>]| all.iter().flatten().map(|chunk| self.weight(chunk)).sum();
        let total: u64 = rows(&all);
        for (chunks, table) in all.iter_mut().zip(tables) {
            chunks.retain(|chunk| !finished.contains(&(table.name.clone(), chunk.first)));
        }
        let progress = Progress::new(total - rows(&all), total);
        let count = all.iter().map(Vec::len).sum::<usize>().max(tables.len());
        let mut servers = self.connect(count)?;
        let queue = Queue::new(all);
        let work = Work {
            queue,
            progress,
            finished,
        };
        in_parallel(&mut servers, |server| {
            self.take_tasks(server, &work)
                .inspect_err(|_| work.queue.close())
        })?;
        self.finish(&mut servers, finished)
    }

    fn connect(&self, work: usize) -> Result<Vec<Server>, Failure> {
        (0..work.min(self.args.threads as usize))
            .map(|_| {
                let mut server = Server::connect(self.args, self.credentials)?;
                server.relax_commits()?;
                Ok(server)
            })
            .collect()
    }

    /// About how many rows a chunk has.
    fn weight(&self, chunk: &Chunk) -> u64 {
        let table = &self.control.tables[chunk.table];
        (chunk.count as f64 * table.rows_per_unit).round() as u64
    }

    fn take_tasks(&self, server: &mut Server, work: &Work) -> Result<()> {
        let mut last = None;
        while let Some(task) = work.queue.take(last) {
            match task {
                Task::Load(chunk) => {
                    let table = &self.control.tables[chunk.table];
                    self.load_chunk(server, table, &chunk).with_context(|| {
                        format!("table {}, chunk from {} on", table.name, chunk.first)
                    })?;
                    work.queue.loaded(chunk.table);
                    work.progress.add(self.weight(&chunk));
                    last = Some(chunk.table);
                }
                Task::Index(table) => self.index(server, table, work.finished)?,
            }
        }
        Ok(())
    }

    /// Makes a table's indexes and, on MySQL, its statistics. PostgreSQL's VACUUM comes first: it marks all rows
    /// as visible to all, which their first reader would otherwise do, writing all pages again.
    fn index(&self, server: &mut Server, table: usize, finished: &Finished) -> Result<()> {
        let name = &self.control.tables[table].name;
        let mut steps = self.control.set.index(self.args.server.driver, table);
        match self.args.server.driver {
            Kind::Postgres => steps.insert(0, format!("{VACUUM} {name}")),
            Kind::Mysql | Kind::Noop => steps.push(format!("ANALYZE TABLE {name}")),
            // statistics are the server's own affair
            _ => {}
        }
        for (position, sql) in steps.iter().enumerate() {
            let number = (table as u64) << 8 | position as u64;
            self.step(server, number, sql, finished)?;
        }
        Ok(())
    }

    fn load_chunk(&self, server: &mut Server, table: &Table, chunk: &Chunk) -> Result<()> {
        let mut rows = server.encoder(table);
        self.control.set.fill(chunk, &mut rows);
        let count = rows.count();
        let pieces: Vec<Arc<Vec<u8>>> = rows.take().into_iter().map(Arc::new).collect();
        patiently(server, |server| {
            self.try_chunk(server, table, chunk, &pieces, count)
        })
    }

    fn try_chunk(
        &self,
        server: &mut Server,
        table: &Table,
        chunk: &Chunk,
        pieces: &[Arc<Vec<u8>>],
        rows: u64,
    ) -> Result<()> {
        server.begin()?;
        if !control::is_current(server, self.load, &table.name)? {
            bail!(
                "another prepare has dropped the data set in the meantime: run only one at a time"
            );
        }
        if !control::note(server, self.load, &table.name, chunk.first, rows)? {
            // Another prepare has loaded it, or this one just before an answer was lost.
            server.roll_back();
            return Ok(());
        }
        server.send(table, pieces)?;
        Ok(server.commit()?)
    }

    /// Runs what follows all tables, stage by stage.
    fn finish(&self, servers: &mut [Server], finished: &Finished) -> Result<()> {
        let mut number = AFTER_TABLES;
        for stage in self.stages() {
            let mut steps: Vec<(u64, String)> = (number..).zip(stage).collect();
            number += steps.len() as u64;
            steps.reverse();
            let steps = Mutex::new(steps);
            let take = || steps.lock().ok()?.pop();
            in_parallel(servers, |server| {
                while let Some((number, sql)) = take() {
                    self.step(server, number, &sql, finished)
                        .inspect_err(|_| while take().is_some() {})?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The data set's own stages, and PostgreSQL's statistics for the planner. What the first VACUUM left out,
    /// because other transactions were under way, is done as well; the rest it passes over.
    fn stages(&self) -> Vec<Vec<String>> {
        let mut stages = self.control.set.finish(self.args.server.driver);
        if self.args.server.driver == Kind::Postgres {
            // An empty table that was never looked at is taken for a small one; one that was, for empty: then
            // checks of foreign keys would not use its index while it grows.
            let tables = self.control.tables.iter().filter(|table| table.units > 0);
            stages.push(
                tables
                    .map(|table| format!("{VACUUM} (ANALYZE) {}", table.name))
                    .collect(),
            );
        }
        stages
    }

    /// Runs a statement that follows the rows, once.
    fn step(&self, server: &mut Server, number: u64, sql: &str, finished: &Finished) -> Result<()> {
        if finished.contains(&(String::new(), number)) {
            return Ok(());
        }
        patiently(server, |server| self.try_step(server, number, sql))
            .with_context(|| sql.chars().take(100).collect::<String>())
    }

    fn try_step(&self, server: &mut Server, number: u64, sql: &str) -> Result<()> {
        let transactional = server.kind == Kind::Postgres && !sql.starts_with(VACUUM);
        if !transactional {
            server.make(sql)?;
        }
        server.begin()?;
        if !control::note(server, self.load, "", number, 0)? {
            server.roll_back();
            return Ok(());
        }
        if transactional {
            server.run(sql)?;
        }
        Ok(server.commit()?)
    }
}

/// Does the action once more when it met another transaction.
pub fn patiently<T>(server: &mut Server, action: impl Fn(&mut Server) -> Result<T>) -> Result<T> {
    let mut attempt = 1;
    loop {
        let error = match action(server) {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        server.roll_back();
        let met = error.downcast_ref::<Failure>().is_some_and(|failure| {
            matches!(
                failure.class,
                Class::Deadlock | Class::Conflict | Class::LockTimeout
            )
        });
        if !met || attempt == ATTEMPTS {
            return Err(error);
        }
        std::thread::sleep(Duration::from_millis(10) * attempt);
        attempt += 1;
    }
}

/// Runs the same work on every connection, each in a separate thread; returns the first error.
fn in_parallel(
    servers: &mut [Server],
    work: impl Fn(&mut Server) -> Result<()> + Sync,
) -> Result<()> {
    let results: Vec<Result<()>> = std::thread::scope(|scope| {
        let threads: Vec<_> = servers
            .iter_mut()
            .map(|server| scope.spawn(|| work(server)))
            .collect();
        threads
            .into_iter()
            .map(|thread| {
                let lost = |_| Err(anyhow!("a loading thread panicked"));
                thread.join().unwrap_or_else(lost)
            })
            .collect()
    });
    results.into_iter().collect()
}
