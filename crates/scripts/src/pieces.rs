//! SQL text cut into pieces: enough of its lexical rules to tell words from quotes and comments.

use sql_wire::Kind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    Space,
    /// A keyword, a name or a number.
    Word,
    /// A string, a quoted name, or PostgreSQL's $tag$...$tag$.
    Quoted,
    Comment,
    /// One character of anything else.
    Symbol,
    /// A quote or comment that nothing ends.
    Open,
}

/// The piece that begins at `at`, which must lie within `text`, and where it ends.
pub fn piece(text: &str, at: usize, kind: Kind) -> (Piece, usize) {
    let rest = &text[at..];
    let first = rest.chars().next().unwrap_or(' ');
    let ends = |length: usize| at + length;
    if first.is_whitespace() {
        return (Piece::Space, ends(run(rest, char::is_whitespace)));
    }
    if rest.starts_with("--") || (first == '#' && kind == Kind::Mysql) {
        return (Piece::Comment, ends(run(rest, |c| c != '\n')));
    }
    if rest.starts_with("/*") {
        return closed(Piece::Comment, at, block_comment(rest, kind), text);
    }
    if matches!(first, 'e' | 'E') && kind == Kind::Postgres && rest[1..].starts_with('\'') {
        let length = quoted(&rest[1..], '\'', true).map(|length| length + 1);
        return closed(Piece::Quoted, at, length, text);
    }
    match first {
        '\'' => closed(
            Piece::Quoted,
            at,
            quoted(rest, '\'', kind == Kind::Mysql),
            text,
        ),
        '"' => closed(
            Piece::Quoted,
            at,
            quoted(rest, '"', kind == Kind::Mysql),
            text,
        ),
        '`' if kind != Kind::Postgres => closed(Piece::Quoted, at, quoted(rest, '`', false), text),
        '$' if kind == Kind::Postgres => match dollar_tag(rest) {
            Some(tag) => {
                let body = rest[tag.len()..]
                    .find(tag)
                    .map(|found| found + 2 * tag.len());
                closed(Piece::Quoted, at, body, text)
            }
            None => (Piece::Symbol, ends(1)),
        },
        _ if is_word(first) => (Piece::Word, ends(run(rest, |c| is_word(c) || c == '$'))),
        _ => (Piece::Symbol, ends(first.len_utf8())),
    }
}

pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

fn closed(piece: Piece, at: usize, length: Option<usize>, text: &str) -> (Piece, usize) {
    match length {
        Some(length) => (piece, at + length),
        None => (Piece::Open, text.len()),
    }
}

/// Length of a quoted text; the quote doubled stands for itself.
fn quoted(text: &str, quote: char, backslashes: bool) -> Option<usize> {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        if c == '\\' && backslashes {
            characters.next();
        } else if c == quote {
            match characters.peek() {
                Some(&(_, next)) if next == quote => drop(characters.next()),
                _ => return Some(at + 1),
            }
        }
    }
    None
}

/// Length of a comment; PostgreSQL's may contain others.
fn block_comment(text: &str, kind: Kind) -> Option<usize> {
    let mut depth = 1;
    let mut at = 2;
    while depth > 0 {
        let close = text[at..].find("*/")?;
        let open = text[at..].find("/*").filter(|&open| open < close);
        match open {
            Some(open) if kind == Kind::Postgres => {
                depth += 1;
                at += open + 2;
            }
            _ => {
                depth -= 1;
                at += close + 2;
            }
        }
    }
    Some(at)
}

/// The opening `$tag$`.
fn dollar_tag(text: &str) -> Option<&str> {
    let end = 1 + text[1..].find('$')?;
    let tag = &text[1..end];
    let named = tag.chars().all(is_word) && !tag.starts_with(|c: char| c.is_ascii_digit());
    named.then_some(&text[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(text: &str, kind: Kind) -> Vec<(Piece, &str)> {
        let mut all = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let (found, end) = piece(text, at, kind);
            if found != Piece::Space {
                all.push((found, &text[at..end]));
            }
            at = end;
        }
        all
    }

    #[test]
    fn quotes_and_comments_are_one_piece_each() {
        assert_eq!(
            cut("a='it''s' -- :x\n/* y */", Kind::Postgres),
            [
                (Piece::Word, "a"),
                (Piece::Symbol, "="),
                (Piece::Quoted, "'it''s'"),
                (Piece::Comment, "-- :x"),
                (Piece::Comment, "/* y */"),
            ]
        );
    }

    #[test]
    fn each_server_has_rules_of_its_own() {
        assert_eq!(cut(r"'a\' b'", Kind::Mysql), [(Piece::Quoted, r"'a\' b'")]);
        assert_eq!(cut(r"'a\'", Kind::Postgres), [(Piece::Quoted, r"'a\'")]);
        assert_eq!(
            cut(r"E'a\' b'", Kind::Postgres),
            [(Piece::Quoted, r"E'a\' b'")]
        );
        assert_eq!(
            cut("$f$ '$f$", Kind::Postgres),
            [(Piece::Quoted, "$f$ '$f$")]
        );
        assert_eq!(cut("/* /* */ */", Kind::Postgres).len(), 1);
        assert_eq!(cut("/* /* */", Kind::Mysql).len(), 1);
        assert_eq!(cut("# '", Kind::Mysql), [(Piece::Comment, "# '")]);
    }

    #[test]
    fn what_nothing_ends_is_open() {
        for text in ["'a", "/* a", "$a$ $b$"] {
            assert_eq!(cut(text, Kind::Postgres)[0].0, Piece::Open, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_text_is_cut_to_its_end(text in ".{0,60}|[-'\"$/*#a\\\\: \n]{0,40}") {
            for kind in [Kind::Mysql, Kind::Postgres, Kind::Noop] {
                let mut at = 0;
                while at < text.len() {
                    let (_, end) = piece(&text, at, kind);
                    prop_assert!(end > at && text.is_char_boundary(end));
                    at = end;
                }
            }
        }
    }
}
