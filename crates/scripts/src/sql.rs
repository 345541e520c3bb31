//! A SQL file as a transaction: commands give variables values, statements take them as parameters.

mod evaluation;
mod expression;
mod hash;

mod meta;
mod program;
mod random;
mod value;

pub use value::Value;

use anyhow::Result;
use base::arguments::Usage;
use expression::DEFAULT_SEED;
use program::{Part, Program, Step, Takes, Text};
use sql_wire::{Class, Failure, Kind, Statement, Type};
use std::cell::{Cell, RefCell};
use std::path::Path;
use std::rc::Rc;
use workloads::client::{Call, Reply};
use workloads::{Client, End, Pauses, RunFacts, Running, TransactionType, Workload};

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
    SqlFile::new(&name, &text, kind, defined, as_texts)
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
        let program = Program::read(text, kind, &all, as_texts).map_err(|mistake| {
            let program::Mistake {
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
                    let pause = time.and_then(|time| meta::pause(&time, *unit));
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

    async fn send(
        &self,
        client: &Client,
        number: usize,
        variables: &mut [Value],
    ) -> Result<(), Failure> {
        let text = &self.program.statements[number];
        if let Some(&unset) = text
            .parameters
            .iter()
            .find(|&&place| variables[place] == Value::Unset)
        {
            let name = &self.program.variables[unset];
            let message = format!("no result before had a column for :{name}");
            return Err(self.stop(client, text.line, &message));
        }
        let keeps = text.takes != Takes::Nothing;
        let reply = match &text.parts {
            Some(parts) => {
                let id = self.statement(client, number, &[]);
                let mut sent = self.sent.borrow_mut();
                write_text(parts, &self.program, variables, &mut sent);
                let answer = client.text_of(id, &sent, keeps);
                drop(sent);
                answer.await?
            }
            None => {
                let mut call = client.call(self.statement(client, number, variables));
                for &place in &text.parameters {
                    call = self.bind(call, &variables[place]);
                }
                match keeps {
                    true => call.rows().await?,
                    false => call.await?,
                }
            }
        };
        self.take_results(text, &reply, variables)
    }

    /// Gives variables what the statement returned.
    fn take_results(
        &self,
        text: &Text,
        reply: &Reply,
        variables: &mut [Value],
    ) -> Result<(), Failure> {
        let (prefix, row) = match &text.takes {
            Takes::Nothing => return Ok(()),
            Takes::Fields(places) => {
                for (column, &place) in places.iter().enumerate() {
                    variables[place] = field(reply, 0, column);
                }
                return Ok(());
            }
            Takes::OnlyRow(prefix) => match (reply.rows, self.kind) {
                (1, _) | (_, Kind::Noop) => (prefix, Some(0)),
                (rows, _) => {
                    let (path, line) = (&self.path, text.line);
                    let message = format!(
                        "{path}:{line}: \\gset takes one row, the statement returned {rows}"
                    );
                    return Err(Failure::new(Class::Other, "gset", message));
                }
            },
            Takes::LastRow(prefix) => (prefix, reply.all().len().checked_sub(1)),
        };
        let Some(row) = row else { return Ok(()) };
        if self.kind == Kind::Noop {
            for (name, value) in self.program.variables.iter().zip(variables.iter_mut()) {
                if *value == Value::Unset && name.starts_with(prefix) {
                    *value = Value::Int(0);
                }
            }
        }
        for (column, name) in reply.all().names().enumerate() {
            let name = format!("{prefix}{name}");
            let known = self
                .program
                .variables
                .iter()
                .position(|known| *known == name);
            if let Some(place) = known {
                variables[place] = field(reply, row, column);
            }
        }
        Ok(())
    }

    /// The prepared statement for parameters of the types that these are now.
    fn statement(&self, client: &Client, number: usize, variables: &[Value]) -> usize {
        let text = &self.program.statements[number];
        // Values that stand in the text are no parameters.
        let parameters = match text.parts {
            Some(_) => &[],
            None => text.parameters.as_slice(),
        };
        let types = || {
            parameters
                .iter()
                .map(|&place| self.wire_type(&variables[place]))
        };
        let mut prepared = self.prepared.borrow_mut();
        let known = &mut prepared[number];
        if let Some((_, id)) = known.iter().find(|(of, _)| of.iter().copied().eq(types())) {
            return *id;
        }
        let types: Vec<Type> = types().collect();
        let id = client.add_statement(prepare(text, types.clone()));
        known.push((types, id));
        id
    }

    /// On PostgreSQL the types of literals with these values: what a script does as text it does with parameters. The
    /// server infers the types of texts and nulls.
    fn wire_type(&self, value: &Value) -> Type {
        match (self.kind, value) {
            (Kind::Postgres, Value::Int(number)) if i32::try_from(*number).is_ok() => Type::Int,
            (_, Value::Int(_)) => Type::BigInt,
            (Kind::Postgres, Value::Double(_)) => Type::Numeric,
            (_, Value::Double(_)) => Type::Double,
            (Kind::Postgres, _) | (_, Value::Text(_)) => Type::Text,
            (_, Value::Bool(_) | Value::Null | Value::Unset) => Type::BigInt,
        }
    }

    fn bind<'a>(&self, call: Call<'a>, value: &Value) -> Call<'a> {
        match (self.wire_type(value), value) {
            (_, Value::Null | Value::Unset) => call.null(),
            (_, Value::Text(text)) => call.text(text),
            (Type::Int, Value::Int(number)) => call.int(*number as i32),
            (_, Value::Int(number)) => call.big_int(*number),
            (Type::BigInt, Value::Bool(value)) => call.big_int(i64::from(*value)),
            (Type::Double, Value::Double(number)) => call.double(*number),
            (_, other) => call.text_by(|out| {
                use std::io::Write;
                // Writing into memory does not fail.
                let _ = write!(out, "{other}");
            }),
        }
    }
}

/// Writes a statement with its values in place of their names.
fn write_text(parts: &[Part], program: &Program, variables: &[Value], out: &mut String) {
    use std::fmt::Write;
    out.clear();
    for part in parts {
        match part {
            Part::Sql(sql) => out.push_str(sql),
            // Writing into memory does not fail.
            Part::Quoted(place) if variables[*place] == Value::Unset => {
                out.push(':');
                out.push_str(&program.variables[*place]);
            }
            Part::Value(place) | Part::Quoted(place) => drop(write!(out, "{}", variables[*place])),
        }
    }
}

fn prepare(text: &Text, types: Vec<Type>) -> Statement {
    Statement {
        name: text.sort.verb.clone().into(),
        effect: text.sort.effect,
        sql: text.sql.clone(),
        types: types.into(),
        named: matches!(text.takes, Takes::OnlyRow(_) | Takes::LastRow(_)),
    }
}

/// A field of a row; null when there is none.
fn field(reply: &Reply, row: usize, column: usize) -> Value {
    use sql_wire::rows::Value as Field;
    match reply.all().get(row, column) {
        None | Some(Field::Null) => Value::Null,
        Some(Field::Int(value)) => Value::Int(value),
        Some(Field::Float(value)) => Value::Double(value),
        Some(Field::Text(text)) => Value::read(&String::from_utf8_lossy(text)),
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

    fn needs_table(&self) -> Option<&str> {
        None
    }

    fn expect(&self, facts: &RunFacts) {
        let seed = facts.seed;
        self.seed.set(seed);
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
