//! INSERT statements of many rows, prepared once for each size.

use sql_wire::{Effect, Kind, Statement, Type};

/// Both protocols count the parameters of a statement in 16 bits.
pub const MOST_PARAMETERS: usize = 65_535;

/// What an INSERT of several rows looks like.
pub struct MultiRow<'a> {
    /// The name under which it is counted.
    pub name: &'static str,
    pub table: &'a str,
    pub columns: &'a str,
    /// The values of one row, with a placeholder for each of `types`: "(?, LOCALTIMESTAMP(0), ?)".
    pub row: &'a str,
    pub types: &'a [Type],
}

impl MultiRow<'_> {
    /// The statement for this many rows; `tail` follows the rows.
    pub fn statement(&self, kind: Kind, rows: usize, tail: &str) -> Statement {
        debug_assert!(self.types.len() * rows <= MOST_PARAMETERS);
        let values = vec![self.row; rows].join(",");
        let sql = format!(
            "INSERT INTO {} ({}) VALUES {values}{tail}",
            self.table, self.columns
        );
        let types: Vec<Type> = self.types.repeat(rows);
        Statement::new(kind, self.name, Effect::Write, &sql, types)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_one_another_and_placeholders_are_numbered_through() {
        let pair = MultiRow {
            name: "insert",
            table: "t",
            columns: "a, b, c",
            row: "(?, 7, ?)",
            types: &[Type::Int, Type::Text],
        };
        let statement = pair.statement(Kind::Postgres, 2, " RETURNING a");
        assert_eq!(
            statement.sql,
            "INSERT INTO t (a, b, c) VALUES ($1, 7, $2),($3, 7, $4) RETURNING a"
        );
        assert_eq!(
            statement.types.as_ref(),
            [Type::Int, Type::Text, Type::Int, Type::Text]
        );
    }
}
