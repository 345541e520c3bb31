//! Statements of a workload, written with `?` placeholders.

use crate::effect::Effect;
use crate::kind::Kind;
use crate::parameters::Type;
use std::borrow::Cow;

/// One SQL statement of a workload, with `?` placeholders already in the server's own notation.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The name under which it is counted; statements on different tables share one.
    pub name: Cow<'static, str>,
    pub effect: Effect,
    pub sql: String,
    pub types: Cow<'static, [Type]>,
    /// The names of its rows' columns are wanted with the rows.
    pub named: bool,
}

impl Statement {
    pub fn new(
        kind: Kind,
        name: impl Into<Cow<'static, str>>,
        effect: Effect,
        sql: &str,
        types: impl Into<Cow<'static, [Type]>>,
    ) -> Statement {
        let sql = match kind {
            Kind::Postgres => numbered_placeholders(sql),
            _ => sql.to_string(),
        };
        Statement {
            name: name.into(),
            effect,
            sql,
            types: types.into(),
            named: false,
        }
    }
}

fn numbered_placeholders(sql: &str) -> String {
    let mut numbered = String::with_capacity(sql.len() + 8);
    for (index, part) in sql.split('?').enumerate() {
        if index > 0 {
            numbered.push_str(&format!("${index}"));
        }
        numbered.push_str(part);
    }
    numbered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_numbered() {
        assert_eq!(numbered_placeholders("a=? AND b=?"), "a=$1 AND b=$2");
        assert_eq!(numbered_placeholders("BEGIN"), "BEGIN");
    }
}
