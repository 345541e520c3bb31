//! A SQL file as a transaction: commands give variables values, statements take them as parameters.

mod evaluation;
mod expression;
mod meta;
mod program;
mod random;
mod value;

pub use value::Value;

use anyhow::Result;
use base::arguments::Usage;
use program::{Program, Step, Text};
use sql_wire::{Failure, Kind, Statement, Type};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use workloads::client::{Call, Reply};
use workloads::{Client, End, Pauses, Running, TransactionType, Workload};

/// Combinations of parameter types, with the statement prepared for each.
type Variants = Vec<(Vec<Type>, usize)>;

pub struct SqlFile {
    path: String,
    kind: Kind,
    program: Program,
    types: [TransactionType; 1],
    /// Each client's variables between its transactions.
    variables: RefCell<Vec<Option<Vec<Value>>>>,
    /// Where a client's own number goes.
    client_id: usize,
    /// The prepared statements of each text, one for every combination of parameter types met so far.
    prepared: RefCell<Vec<Variants>>,
}

/// Reads a file; `defined` are the variables that the command line gives.
pub fn load(path: &Path, kind: Kind, defined: &[(String, Value)]) -> Result<SqlFile> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Usage::error(format!("cannot read {name}: {error}")))?;
    SqlFile::new(&name, &text, kind, defined)
}

impl SqlFile {
    fn new(path: &str, text: &str, kind: Kind, defined: &[(String, Value)]) -> Result<SqlFile> {
        let mut all = vec![("client_id".to_string(), Value::Int(0))];
        all.extend(
            defined
                .iter()
                .filter(|(name, _)| name != "client_id")
                .cloned(),
        );
        let program = Program::read(text, kind, &all).map_err(|mistake| {
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
            client_id: 0,
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
            variables[self.client_id] = Value::Int(client.number as i64);
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
        let mut call = client.call(self.statement(client, number, variables));
        for &place in &text.parameters {
            call = self.bind(call, &variables[place]);
        }
        if text.into.is_empty() {
            return call.await.map(drop);
        }
        let reply = call.rows().await?;
        for (column, &place) in text.into.iter().enumerate() {
            variables[place] = field(&reply, column);
        }
        Ok(())
    }

    /// The prepared statement for parameters of the types that these are now.
    fn statement(&self, client: &Client, number: usize, variables: &[Value]) -> usize {
        let text = &self.program.statements[number];
        let types = || {
            text.parameters
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

    /// PostgreSQL infers the types of texts, as with pgbench; MySQL must be told.
    fn wire_type(&self, value: &Value) -> Type {
        match (self.kind, value) {
            (Kind::Postgres, _) | (_, Value::Text(_)) => Type::Text,
            (_, Value::Double(_)) => Type::Double,
            (_, Value::Int(_) | Value::Bool(_) | Value::Null) => Type::BigInt,
        }
    }

    fn bind<'a>(&self, call: Call<'a>, value: &Value) -> Call<'a> {
        match value {
            Value::Null => call.null(),
            Value::Text(text) => call.text(text),
            Value::Int(value) if self.kind != Kind::Postgres => call.big_int(*value),
            Value::Bool(value) if self.kind != Kind::Postgres => call.big_int(i64::from(*value)),
            Value::Double(value) if self.kind != Kind::Postgres => call.double(*value),
            number => call.text_by(|out| {
                use std::io::Write;
                // Writing into memory does not fail.
                let _ = write!(out, "{number}");
            }),
        }
    }
}

fn prepare(text: &Text, types: Vec<Type>) -> Statement {
    Statement {
        name: text.sort.verb.clone().into(),
        effect: text.sort.effect,
        sql: text.sql.clone(),
        types: types.into(),
    }
}

/// A field of the first row; null when there is none.
fn field(reply: &Reply, column: usize) -> Value {
    use sql_wire::rows::Value as Field;
    match reply.all().get(0, column) {
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
