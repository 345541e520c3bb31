//! A SQL file as a transaction: commands give variables values, statements take them as parameters.

mod evaluation;
mod expression;
mod hash;

mod parser;
mod program;
mod random;
mod read;
mod sending;
mod value;

pub use value::Value;

use anyhow::Result;
use base::arguments::Usage;
use expression::DEFAULT_SEED;
use program::{Program, Step};
use sql_wire::{Failure, Kind, Statement, Type};
use std::cell::{Cell, RefCell};
use std::path::Path;
use std::rc::Rc;
use workloads::{Client, End, LeftOpen, Pauses, RunFacts, Running, TransactionType, Workload};

/// Combinations of parameter types, with the statement prepared for each.
type Variants = Vec<(Vec<Type>, usize)>;

pub struct SqlFile {
    path: String,
    kind: Kind,
    program: Program,
    types: [TransactionType; 1],
    /// Each client's variables between its transactions.
    variables: RefCell<Vec<Option<Vec<Value>>>>,
    /// The run's seed, which scripts see.
    seed: Cell<u64>,
    /// The text of a statement that is sent as one.
    sent: RefCell<String>,
    /// The prepared statements of each text, one for every combination of parameter types met so far.
    prepared: RefCell<Vec<Variants>>,
}

/// The variables that every script has.
const CLIENT_ID: &str = "client_id";
const SCALE: &str = "scale";
const RANDOM_SEED: &str = "random_seed";

/// Reads a file; `defined` are the variables that the command line gives. With `as_texts` no statement is prepared.
pub fn load(
    path: &Path,
    kind: Kind,
    defined: &[(String, Value)],
    as_texts: bool,
) -> Result<SqlFile> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Usage::error(format!("cannot read {name}: {error}")))?;
    // Editors on Windows write a byte order mark, which no server takes.
    let text = text.trim_start_matches('\u{feff}');
    SqlFile::new(&name, text, kind, defined, as_texts)
}

impl SqlFile {
    fn new(
        path: &str,
        text: &str,
        kind: Kind,
        defined: &[(String, Value)],
        as_texts: bool,
    ) -> Result<SqlFile> {
        let mut all = defined.to_vec();
        // As with pgbench, the scale of scripts is 1 unless the command line says another.
        for (name, value) in [
            (CLIENT_ID, 0),
            (SCALE, 1),
            (RANDOM_SEED, 0),
            (DEFAULT_SEED, 0),
        ] {
            if all.iter().all(|(known, _)| known != name) {
                all.push((name.to_string(), Value::Int(value)));
            }
        }
        let program = read::read(text, kind, &all, as_texts).map_err(|mistake| {
            let read::Mistake {
                line,
                column,
                message,
            } = mistake;
            Usage::error(format!("{path}:{line}:{column}: {message}"))
        })?;
        let stem = Path::new(path).file_stem().unwrap_or_default();
        Ok(SqlFile {
            path: path.to_string(),
            kind,
            types: [TransactionType::new(
                stem.to_string_lossy(),
                program.writes(),
            )],
            variables: RefCell::default(),
            seed: Cell::new(0),
            sent: RefCell::default(),
            prepared: RefCell::new(vec![Variants::new(); program.statements.len()]),
            program,
        })
    }

    /// Takes a client's variables; a transaction that is lost loses them.
    fn take(&self, client: &Client) -> Vec<Value> {
        let mut all = self.variables.borrow_mut();
        if all.len() <= client.number {
            all.resize(client.number + 1, None);
        }
        all[client.number].take().unwrap_or_else(|| {
            let mut variables = self.program.initial.clone();
            let seed = self.seed.get() as i64;
            let own = [
                (CLIENT_ID, client.number as i64),
                (RANDOM_SEED, seed),
                (DEFAULT_SEED, hash::murmur2(seed, 0)),
            ];
            for (name, value) in own {
                let place = self
                    .program
                    .variables
                    .iter()
                    .position(|known| known == name);
                // What the command line says of a seed counts.
                if let Some(place) = place.filter(|&place| {
                    name == CLIENT_ID || self.program.initial[place] == Value::Int(0)
                }) {
                    variables[place] = Value::Int(value);
                }
            }
            variables
        })
    }

    fn keep(&self, client: &Client, variables: Vec<Value>) {
        self.variables.borrow_mut()[client.number] = Some(variables);
    }

    async fn transaction(&self, client: &Client) -> Result<End, Failure> {
        let mut variables = self.take(client);
        let result = self.steps(client, &mut variables).await;
        self.keep(client, variables);
        result.map(|()| End::Committed)
    }

    async fn steps(&self, client: &Client, variables: &mut [Value]) -> Result<(), Failure> {
        let mut at = 0;
        while let Some(step) = self.program.steps.get(at) {
            at += 1;
            match step {
                Step::Send { statement } => self.send(client, *statement, variables).await?,
                Step::GoTo { next } => at = *next,
                Step::Sleep { time, unit, line } => {
                    let time = time.value(variables, &mut client.rng());
                    let pause = time.and_then(|time| program::pause(&time, *unit));
                    let pause = pause.map_err(|message| self.stop(client, *line, &message))?;
                    client.pause(pause).await?;
                }
                Step::Unless {
                    condition,
                    next,
                    line,
                } => {
                    let holds = condition.holds(variables, &mut client.rng());
                    if !holds.map_err(|message| self.stop(client, *line, &message))? {
                        at = *next;
                    }
                }
                Step::Set {
                    variable,
                    expression,
                    line,
                } => {
                    let value = expression.value(variables, &mut client.rng());
                    variables[*variable] =
                        value.map_err(|message| self.stop(client, *line, &message))?;
                }
                Step::SetString { variable, pattern } => {
                    let mut text = Vec::new();
                    super::pattern::fill(pattern.as_bytes(), &mut client.rng(), &mut text);
                    // Only ASCII signs were replaced, by ASCII.
                    variables[*variable] = Value::Text(String::from_utf8(text).unwrap_or_default());
                }
                Step::SetLetters {
                    variable,
                    lengths,
                    line,
                } => {
                    let text = self.letters(client, lengths, variables);
                    variables[*variable] =
                        text.map_err(|message| self.stop(client, *line, &message))?;
                }
            }
        }
        Ok(())
    }

    fn letters(
        &self,
        client: &Client,
        lengths: &[expression::Expression; 2],
        variables: &[Value],
    ) -> Result<Value, String> {
        let rng = &mut client.rng();
        let [low, high] = lengths;
        let (low, high) = (low.value(variables, rng)?, high.value(variables, rng)?);
        let (Value::Int(low), Value::Int(high)) = (low, high) else {
            return Err("a length is not a whole number".to_string());
        };
        if !(0 <= low && low <= high && high <= 1 << 24) {
            return Err(format!("no length from {low} to {high}"));
        }
        let length = random::uniform(rng, low, high) as usize;
        let text = (0..length).map(|_| super::pattern::letter(rng)).collect();
        Ok(Value::Text(String::from_utf8(text).unwrap_or_default()))
    }

    /// Ends the run: the script itself is wrong.
    #[cold]
    fn stop(&self, client: &Client, line: usize, message: &str) -> Failure {
        client.stop_run(format!("{}:{line}: {message}", self.path))
    }
}

impl Workload for SqlFile {
    fn name(&self) -> &str {
        &self.types[0].name
    }

    fn transactions(&self) -> &[TransactionType] {
        &self.types
    }

    /// Added when first used, as their parameters' types show only then.
    fn statements(&self) -> Vec<Statement> {
        Vec::new()
    }

    fn required_table(&self) -> Option<&str> {
        None
    }

    fn expect(&self, facts: &RunFacts) {
        let seed = facts.seed;
        self.seed.set(seed);
    }

    /// As with sysbench and pgbench.
    fn relies_on_autocommit(&self) -> bool {
        false
    }

    /// pgbench ends there, too. What is rolled back must not count as done.
    fn left_open(&self, _which: usize, _client: &Client) -> LeftOpen {
        LeftOpen::Refused(format!(
            "{}: the script has ended within a transaction; end it with COMMIT or ROLLBACK",
            self.path
        ))
    }

    fn pick(&self, _client: &Client) -> Option<usize> {
        Some(0)
    }

    fn run(self: Rc<Self>, _which: usize, client: Rc<Client>) -> Running {
        Box::pin(async move { self.transaction(&client).await })
    }

    fn pauses(&self, _which: usize, _client: &Client) -> Pauses {
        Pauses {
            before: self.program.sleep_before,
            after: self.program.sleep_after,
        }
    }
}

#[cfg(test)]
#[path = "sql_tests.rs"]
mod tests;
