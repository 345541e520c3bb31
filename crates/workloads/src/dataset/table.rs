//! Tables of a data set.

/// A table and how many rows it gets.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub name: String,
    /// The names of the columns, in the order of the values of a row: "id, k, c, pad".
    pub columns: &'static str,
    /// How many units there are, numbered from 0. A unit is a row, or whatever rows come in: in TATP the
    /// 1 to 4 `access_info` of a subscriber are one unit.
    pub units: u64,
    /// Rows of a unit on the average: chunks of all tables get about as many rows.
    pub rows_per_unit: f64,
}

impl Table {
    /// A table with rows as its units.
    pub fn of_rows(name: impl Into<String>, columns: &'static str, rows: u64) -> Table {
        Table {
            name: name.into(),
            columns,
            units: rows,
            rows_per_unit: 1.0,
        }
    }
}
