//! How a SQL file's statements are sent, and what their results give to variables.

use super::program::{Part, Program, Takes, Text};
use super::{SqlFile, Value};
use sql_wire::{Class, Failure, Kind, Statement, Type};
use workloads::Client;
use workloads::client::{Answer, Call, Reply};

impl SqlFile {
    pub(super) async fn send(
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
                self.text(client, id, parts, variables, keeps).await?
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

    /// Sends a statement as text.
    fn text<'a>(
        &self,
        client: &'a Client,
        id: usize,
        parts: &[Part],
        variables: &[Value],
        keep_rows: bool,
    ) -> Answer<'a> {
        let mut sent = self.sent.borrow_mut();
        write_text(parts, &self.program, variables, &mut sent);
        client.text_of(id, &sent, keep_rows)
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
            (_, Value::Written(text)) => match (self.kind, Value::parse(text)) {
                // The digits of another number would be rounded.
                (Kind::Postgres, Value::Double(_)) => Type::Numeric,
                (_, Value::Double(_)) => Type::Text,
                (_, meant) => self.wire_type(&meant),
            },
            (Kind::Postgres, Value::Int(_) | Value::Double(_)) => match value.whole() {
                Some(number) if i32::try_from(number).is_ok() => Type::Int,
                Some(_) => Type::BigInt,
                None => Type::Numeric,
            },
            (_, Value::Int(_)) => Type::BigInt,
            (_, Value::Double(_)) => Type::Double,
            (Kind::Postgres, _) | (_, Value::Text(_)) => Type::Text,
            (_, Value::Bool(_) | Value::Null | Value::Unset) => Type::BigInt,
        }
    }

    fn bind<'a>(&self, call: Call<'a>, value: &Value) -> Call<'a> {
        match (self.wire_type(value), value) {
            (_, Value::Null | Value::Unset) => call.null(),
            (_, Value::Written(text)) => match Value::parse(text) {
                Value::Double(_) => call.text(text),
                meant => self.bind(call, &meant),
            },
            (_, Value::Text(text)) => call.text(text),
            (Type::Int, value) => call.int(value.whole().unwrap_or_default() as i32),
            (Type::BigInt, Value::Bool(value)) => call.big_int(i64::from(*value)),
            (Type::BigInt, value) => call.big_int(value.whole().unwrap_or_default()),
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
