//! From PostgreSQL's numbered placeholders to those of ODBC.

use crate::kind::Kind;
use std::borrow::Cow;

/// The statement with `?` for `$1`, `$2` and so on, which stand in their order; not within quotes.
pub fn plain(sql: &str, kind: Kind) -> Cow<'_, str> {
    if kind != Kind::Postgres || !sql.contains('$') {
        return sql.into();
    }
    let mut plain = String::with_capacity(sql.len());
    let mut quote = None;
    let mut rest = sql.chars().peekable();
    while let Some(one) = rest.next() {
        match (one, quote) {
            ('\'' | '"', None) => quote = Some(one),
            (_, Some(open)) if one == open => quote = None,
            ('$', None) if rest.peek().is_some_and(char::is_ascii_digit) => {
                while rest.next_if(char::is_ascii_digit).is_some() {}
                plain.push('?');
                continue;
            }
            _ => {}
        }
        plain.push(one);
    }
    plain.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::Effect;
    use crate::statement::Statement;
    use proptest::prelude::*;

    #[test]
    fn quoted_texts_are_left_alone() {
        assert_eq!(
            plain("SELECT '$1', \"$2\", $1, $22 || $$", Kind::Postgres),
            "SELECT '$1', \"$2\", ?, ? || $$"
        );
        assert_eq!(plain("SELECT $1", Kind::Mysql), "SELECT $1");
    }

    proptest! {
        #[test]
        fn it_undoes_what_numbering_does(sql in "[a-z =,()]{0,20}(\\?[a-z =,()]{1,9}){0,14}") {
            let statement = Statement::new(Kind::Postgres, "x", Effect::Read, &sql, &[]);
            prop_assert_eq!(plain(&statement.sql, Kind::Postgres), sql);
        }
    }
}
