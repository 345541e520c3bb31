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
    if line_comment(rest, kind) {
        return (Piece::Comment, ends(run(rest, |c| c != '\n')));
    }
    if kind == Kind::Mysql
        && (rest.starts_with("*/") || rest.starts_with("/*!") || rest.starts_with("/*M!"))
    {
        return (Piece::Space, ends(executed_comment(rest)));
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

/// A comment to the end of the line. MySQL's `--` needs a space behind it: `5--1` is 6.
fn line_comment(rest: &str, kind: Kind) -> bool {
    match rest.strip_prefix("--") {
        Some(behind) if kind == Kind::Mysql => behind
            .chars()
            .next()
            .is_none_or(|c| c.is_whitespace() || c.is_control()),
        Some(_) => true,
        None => kind == Kind::Mysql && rest.starts_with('#'),
    }
}

/// Length of the frame around what MySQL executes in `/*! ... */`, at either end.
fn executed_comment(rest: &str) -> usize {
    let Some(bang) = rest.find('!').filter(|_| rest.starts_with("/*")) else {
        return 2;
    };
    bang + 1 + run(&rest[bang + 1..], |c| c.is_ascii_digit())
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

/// A word outside quotes and comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    pub text: &'a str,
    pub at: usize,
    /// How many parentheses are open around it.
    pub depth: usize,
    /// A statement or a subquery may begin with it: it stands first, or behind a parenthesis, and calls nothing.
    pub begins: bool,
}

/// The words of a text outside quotes and comments.
#[derive(Clone)]
pub struct Words<'a> {
    sql: &'a str,
    kind: Kind,
    at: usize,
    depth: usize,
    fresh: bool,
}

impl<'a> Words<'a> {
    pub fn of(sql: &'a str, kind: Kind) -> Words<'a> {
        Words {
            sql,
            kind,
            at: 0,
            depth: 0,
            fresh: true,
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        while self.at < self.sql.len() {
            let (at, (found, end)) = (self.at, piece(self.sql, self.at, self.kind));
            let text = &self.sql[at..end];
            self.at = end;
            match (found, text) {
                (Piece::Space | Piece::Comment, _) => continue,
                (Piece::Word, _) => {
                    let begins = self.fresh && !self.sql[end..].trim_start().starts_with('(');
                    self.fresh = false;
                    return Some(Word {
                        text,
                        at,
                        depth: self.depth,
                        begins,
                    });
                }
                (_, "(") => self.depth += 1,
                (_, ")") => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            self.fresh = matches!(text, "(" | ")");
        }
        None
    }
}

/// No semicolon stands before the text's end: it has one statement at most. Others may have one, too.
#[inline]
pub fn is_one_statement(sql: &str) -> bool {
    !sql.trim_end().trim_end_matches(';').contains(';')
}

/// The statements of a text, cut at its semicolons. Those without a word are left out.
pub fn statements(sql: &str, kind: Kind) -> Vec<&str> {
    let mut all = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut body = Body::default();
    while at < sql.len() {
        let (found, end) = piece(sql, at, kind);
        let text = &sql[at..end];
        match found {
            Piece::Word => body.word(text),
            Piece::Symbol if text == ";" && !body.is_open() => {
                all.push(&sql[start..at]);
                start = end;
                body = Body::default();
            }
            _ => {}
        }
        at = end;
    }
    all.push(&sql[start..]);
    all.retain(|one| Words::of(one, kind).next().is_some());
    all
}

/// The body of a function, procedure or trigger that is being created: its semicolons end no statement.
#[derive(Debug, Default)]
pub struct Body {
    words: usize,
    creates: bool,
    routine: bool,
    depth: usize,
    /// The word before was END, which an IF, LOOP or CASE of the body may follow.
    ended: bool,
}

impl Body {
    pub fn is_open(&self) -> bool {
        self.depth > 0
    }

    /// Takes the next word of the statement.
    pub fn word(&mut self, word: &str) {
        let is = |other: &str| word.eq_ignore_ascii_case(other);
        self.words += 1;
        if self.words == 1 {
            self.creates = is("create");
            // MariaDB's compound statement.
            self.routine = is("begin");
            return self.depth = 0;
        }
        let routines = ["function", "procedure", "trigger", "event", "package"];
        if self.words == 2 && self.routine {
            self.routine = is("not");
            self.depth = usize::from(self.routine);
            return;
        }
        self.routine |= self.creates && self.words < 9 && routines.iter().any(|of| is(of));
        if !self.routine {
            return;
        }
        let ended = std::mem::replace(&mut self.ended, is("end"));
        if is("begin") || (is("case") && self.depth > 0 && !ended) {
            self.depth += 1;
        } else if is("end") {
            self.depth = self.depth.saturating_sub(1);
        } else if ended
            && ["if", "loop", "while", "repeat", "for"]
                .iter()
                .any(|of| is(of))
        {
            // END IF belongs to an IF, which was not counted.
            self.depth += 1;
        }
    }
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
