//! What a loading thread does next.
//!
//! Threads spread over the tables, because two that fill the same one get into each other's way (its last
//! page, the lock for extending its file), and stay with a table: so few tables are at work at a time that they
//! fit into the server's memory, and a table's indexes are made while it is still there. When fewer tables than
//! threads are left they share them. Of the tables without a thread, the one with the most rows goes first.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Mutex;
use workloads::dataset::{Chunk, Table};

/// Rows of a chunk, more or less: a few MB, so that a commit is cheap in comparison, an interrupted load
/// loses little, and a cluster that certifies transactions is not held up by one.
pub const CHUNK_ROWS: f64 = 10_000.0;

/// All chunks of a table, in their order.
pub fn cut(position: usize, table: &Table, seed: u64) -> Vec<Chunk> {
    let count = ((CHUNK_ROWS / table.rows_per_unit) as u64).max(1);
    (0..table.units.div_ceil(count))
        .map(|chunk| Chunk {
            table: position,
            first: chunk * count,
            count: count.min(table.units - chunk * count),
            seed,
        })
        .collect()
}

/// Something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    Load(Chunk),
    /// All rows of this table are there: make its indexes.
    Index(usize),
}

pub struct Queue(Mutex<State>);

struct State {
    /// Chunks left, the next one last.
    chunks: Vec<Vec<Chunk>>,
    /// How many threads work on each table.
    active: Vec<u32>,
    /// Tables with chunks left: the best choice first.
    choices: BTreeSet<(u32, Reverse<usize>, usize)>,
    /// Tables that have all their rows.
    full: Vec<usize>,
}

impl Queue {
    /// `chunks` of every table, in their order.
    pub fn new(mut chunks: Vec<Vec<Chunk>>) -> Queue {
        for table in &mut chunks {
            table.reverse();
        }
        let (full, left): (Vec<usize>, Vec<usize>) =
            (0..chunks.len()).partition(|&table| chunks[table].is_empty());
        Queue(Mutex::new(State {
            active: vec![0; chunks.len()],
            choices: left
                .into_iter()
                .map(|table| (0, Reverse(chunks[table].len()), table))
                .collect(),
            chunks,
            full,
        }))
    }

    /// The next task of a thread that has just worked on the table `last`. `loaded` gives a chunk back.
    pub fn take(&self, last: Option<usize>) -> Option<Task> {
        let mut state = self.0.lock().ok()?;
        if let Some(table) = state.full.pop() {
            return Some(Task::Index(table));
        }
        let &(fewest, _, best) = state.choices.first()?;
        let stays =
            |table: &usize| state.active[*table] == fewest && !state.chunks[*table].is_empty();
        let table = last.filter(stays).unwrap_or(best);
        let chunk = state.change(table, |state| {
            state.active[table] += 1;
            state.chunks[table].pop()
        });
        chunk.map(Task::Load)
    }

    /// A thread has loaded a chunk of this table.
    pub fn loaded(&self, table: usize) {
        if let Ok(mut state) = self.0.lock() {
            state.change(table, |state| state.active[table] -= 1);
            if !state.closed() && state.active[table] == 0 && state.chunks[table].is_empty() {
                state.full.push(table);
            }
        }
    }

    /// Nothing is to be done any more: a thread has failed.
    pub fn close(&self) {
        if let Ok(mut state) = self.0.lock() {
            state.choices.clear();
            state.chunks.clear();
            state.full.clear();
        }
    }
}

impl State {
    fn closed(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Does something to a table and puts it where it belongs among the choices.
    fn change<T: Default>(&mut self, table: usize, action: impl FnOnce(&mut State) -> T) -> T {
        if self.closed() {
            return T::default();
        }
        self.choices.remove(&self.choice(table));
        let result = action(self);
        if !self.chunks[table].is_empty() {
            self.choices.insert(self.choice(table));
        }
        result
    }

    fn choice(&self, table: usize) -> (u32, Reverse<usize>, usize) {
        (self.active[table], Reverse(self.chunks[table].len()), table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chunks(units: &[u64]) -> Vec<Vec<Chunk>> {
        units
            .iter()
            .enumerate()
            .map(|(position, &units)| cut(position, &Table::of_rows("t", "a", units), 1))
            .collect()
    }

    #[test]
    fn units_that_bring_several_rows_make_smaller_chunks() {
        let table = Table {
            rows_per_unit: 2.5,
            ..Table::of_rows("t", "a", 9_001)
        };
        let chunks = cut(0, &table, 1);
        let shape: Vec<_> = chunks
            .iter()
            .map(|chunk| (chunk.first, chunk.count))
            .collect();
        assert_eq!(shape, [(0, 4000), (4000, 4000), (8000, 1001)]);
        let huge = Table {
            rows_per_unit: 1e6,
            ..Table::of_rows("t", "a", 2)
        };
        assert_eq!(cut(0, &huge, 1).len(), 2);
    }

    #[test]
    fn threads_stay_with_their_table_and_share_what_is_left() {
        let queue = Queue::new(chunks(&[20_000, 40_000, 10_000]));
        let take = |last| match queue.take(last) {
            Some(Task::Load(chunk)) => (chunk.table, chunk.first),
            other => panic!("{other:?}"),
        };
        assert_eq!(take(None), (1, 0));
        assert_eq!(take(None), (0, 0));
        queue.loaded(1);
        assert_eq!(take(Some(1)), (1, 10_000));
        queue.loaded(0);
        assert_eq!(take(Some(0)), (0, 10_000));
        queue.loaded(0);
        assert_eq!(queue.take(Some(0)), Some(Task::Index(0)));
        assert_eq!(take(Some(0)), (2, 0));
        queue.loaded(2);
        assert_eq!(queue.take(Some(2)), Some(Task::Index(2)));
        assert_eq!(take(Some(2)), (1, 20_000));
        queue.close();
        queue.loaded(1);
        assert_eq!(queue.take(Some(1)), None);
    }

    #[test]
    fn tables_without_rows_or_with_all_of_them_are_indexed() {
        let queue = Queue::new(chunks(&[0, 5]));
        assert_eq!(queue.take(None), Some(Task::Index(0)));
        assert!(matches!(queue.take(None), Some(Task::Load(_))));
        assert_eq!(queue.take(None), None);
        queue.loaded(1);
        assert_eq!(queue.take(None), Some(Task::Index(1)));
        assert_eq!(queue.take(None), None);
    }

    proptest! {
        #[test]
        fn every_unit_is_given_out_once(
            units in prop::collection::vec(0u64..60_000, 1..6),
            delay in 1usize..4,
        ) {
            let queue = Queue::new(chunks(&units));
            let mut seen: Vec<Vec<Chunk>> = vec![Vec::new(); units.len()];
            let mut indexed = vec![0; units.len()];
            let mut busy = std::collections::VecDeque::new();
            let mut last = None;
            let total = chunks(&units).concat().len();
            loop {
                match queue.take(last) {
                    Some(Task::Load(chunk)) => {
                        prop_assert_eq!(indexed[chunk.table], 0);
                        seen[chunk.table].push(chunk);
                        busy.push_back(chunk.table);
                    }
                    Some(Task::Index(table)) => indexed[table] += 1,
                    None if busy.is_empty() => break,
                    None => {}
                }
                if busy.len() > delay || seen.iter().flatten().count() == total {
                    last = busy.pop_front();
                    last.into_iter().for_each(|table| queue.loaded(table));
                }
            }
            prop_assert!(indexed.iter().all(|&times| times == 1));
            for (table, chunks) in seen.iter_mut().enumerate() {
                chunks.sort_by_key(|chunk| chunk.first);
                let mut next = 0;
                for chunk in chunks.iter() {
                    prop_assert_eq!(chunk.first, next);
                    prop_assert!(chunk.count > 0);
                    next += chunk.count;
                }
                prop_assert_eq!(next, units[table]);
            }
        }
    }
}
