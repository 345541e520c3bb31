//! What the functions that Lua calls work on.

use super::ask::Ignored;
use super::random::{Counter, Random};
use crate::effect::sort;
use mlua::Function;
use sql_wire::{Kind, Statement, Type};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use workloads::distribution::DistributionOptions;

/// The state of an interpreter outside of Lua.
pub struct Core {
    pub kind: Kind,
    pub random: RefCell<Random>,
    /// All statements that the script prepared, each once, in the order of their numbers.
    pub statements: RefCell<Vec<Statement>>,
    numbers: RefCell<HashMap<(String, String), usize>>,
    /// What gives a closure of a file's chunk, by path.
    pub modules: RefCell<HashMap<PathBuf, Function>>,
    /// The script looks at rows, so they must be kept.
    pub fetches: Cell<bool>,
    /// What the script prints is dropped.
    pub quiet: Cell<bool>,
    /// The script's events are only tried out: they start no programs, write no files, and do not sleep.
    pub tries: Cell<bool>,
    /// Functions that the script called and that keep all connections waiting.
    pub held_by: RefCell<BTreeSet<String>>,
    /// The connection of a command that the next statement is for.
    pub session: Cell<usize>,
    pub ignored: RefCell<Ignored>,
    /// The listing of the script's options.
    pub help: RefCell<String>,
    /// Room for a random text.
    pub text: RefCell<Vec<u8>>,
    /// What scripts counted themselves (`sb_counter_inc`), by sysbench's kinds of counters.
    pub counted: Cell<[u64; COUNTERS.len()]>,
    /// The run is over: a loop of the script's own is to end.
    pub over: Cell<bool>,
}

/// sysbench's counters, in the order of its `sb_counter_type`.
pub const COUNTERS: [&str; 6] = ["other", "read", "write", "trx", "error", "reconnect"];

impl Core {
    pub fn new(kind: Kind, counter: Counter, seed: u64) -> Core {
        Core {
            kind,
            random: RefCell::new(Random::new(DistributionOptions::default(), seed, counter)),
            statements: RefCell::default(),
            numbers: RefCell::default(),
            modules: RefCell::default(),
            fetches: Cell::new(false),
            quiet: Cell::new(false),
            tries: Cell::new(false),
            held_by: RefCell::default(),
            session: Cell::new(0),
            ignored: RefCell::default(),
            help: RefCell::default(),
            text: RefCell::default(),
            counted: Cell::default(),
            over: Cell::default(),
        }
    }

    /// The number of a prepared statement; the same text with the same types has one number.
    pub fn intern(&self, sql: String, letters: String) -> usize {
        let mut numbers = self.numbers.borrow_mut();
        let mut statements = self.statements.borrow_mut();
        let next = statements.len();
        let key = (sql, letters);
        if let Some(&number) = numbers.get(&key) {
            return number;
        }
        let (sql, letters) = &key;
        let types: Vec<Type> = letters
            .bytes()
            .map(|letter| match letter {
                b'i' => Type::BigInt,
                b'd' => Type::Double,
                _ => Type::Text,
            })
            .collect();
        let sort = sort(sql, self.kind);
        statements.push(Statement::new(
            self.kind,
            sort.verb,
            sort.effect,
            sql,
            types,
        ));
        numbers.insert(key, next);
        next
    }
}
