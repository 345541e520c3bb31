//! Reads the expressions of `\set` and `\if`, with pgbench's operators and their precedence.

use super::expression::{DEFAULT_SEED, Expression, Function, Mistake, Operator, in_name, unknown};
use super::value::Value;

/// Deeper nesting is refused rather than answered with a stack overflow.
const DEEPEST: usize = 100;

/// Operators by how strongly they bind, weakest first; the longer of two that begin alike comes first.
const LEVELS: [&[(&str, Operator)]; 6] = [
    &[("or", Operator::Or)],
    &[("and", Operator::And)],
    &[
        ("<>", Operator::Different),
        ("!=", Operator::Different),
        ("<=", Operator::LessEqual),
        (">=", Operator::GreaterEqual),
        ("=", Operator::Equal),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ],
    &[
        ("<<", Operator::ShiftLeft),
        (">>", Operator::ShiftRight),
        ("|", Operator::BitOr),
        ("#", Operator::BitXor),
        ("&", Operator::BitAnd),
    ],
    &[("+", Operator::Plus), ("-", Operator::Minus)],
    &[
        ("*", Operator::Times),
        ("/", Operator::Divide),
        ("%", Operator::Modulo),
    ],
];
/// NOT binds more strongly than AND, less than IS, and that less than comparisons.
const COMPARISONS: usize = 2;
/// `~` has the rank of the bit operators.
const BITS: usize = 3;

/// Name, function, fewest and most arguments.
const FUNCTIONS: [(&str, Function, usize, usize); 24] = [
    ("abs", Function::Abs, 1, 1),
    ("debug", Function::Debug, 1, 1),
    ("double", Function::Double, 1, 1),
    ("exp", Function::Exp, 1, 1),
    ("greatest", Function::Greatest, 1, 100),
    ("hash", Function::HashMurmur2, 1, 2),
    ("hash_fnv1a", Function::HashFnv1a, 1, 2),
    ("hash_murmur2", Function::HashMurmur2, 1, 2),
    ("int", Function::Int, 1, 1),
    ("least", Function::Least, 1, 100),
    ("ln", Function::Ln, 1, 1),
    ("max", Function::Greatest, 1, 100),
    ("min", Function::Least, 1, 100),
    ("mod", Function::Mod, 2, 2),
    ("permute", Function::Permute, 2, 3),
    ("pi", Function::Pi, 0, 0),
    ("pow", Function::Power, 2, 2),
    ("power", Function::Power, 2, 2),
    ("random", Function::Random, 2, 2),
    ("random_exponential", Function::RandomExponential, 3, 3),
    ("random_gaussian", Function::RandomGaussian, 3, 3),
    ("random_uniform", Function::Random, 2, 2),
    ("random_zipfian", Function::RandomZipfian, 3, 3),
    ("sqrt", Function::Sqrt, 1, 1),
];

/// Reads an expression; `variable` gives the place of a variable, None when there is none of this name.
pub fn parse(
    text: &str,
    variable: &mut dyn FnMut(&str) -> Option<usize>,
) -> Result<Expression, Mistake> {
    let mut parser = Parser {
        text,
        at: 0,
        depth: 0,
        variable,
    };
    let expression = parser.level(0)?;
    match parser.rest().is_empty() {
        true => Ok(expression),
        false => Err(parser.mistake("expected an operator or the end of the line")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    variable: &'a mut dyn FnMut(&str) -> Option<usize>,
}

impl<'a> Parser<'a> {
    /// What is left, behind white space.
    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }

    fn mistake(&self, message: impl Into<String>) -> Mistake {
        Mistake {
            at: self.at,
            message: message.into(),
        }
    }

    fn take(&mut self, token: &str) -> bool {
        let rest = self.rest();
        let found = match rest.get(..token.len()) {
            Some(start) => start.eq_ignore_ascii_case(token),
            None => false,
        };
        let is_word = token.ends_with(|c: char| c.is_ascii_alphabetic());
        let behind = rest.get(token.len()..).unwrap_or_default();
        let longer = match token {
            "<" => behind.starts_with(['<', '=', '>']),
            ">" => behind.starts_with(['>', '=']),
            _ => false,
        };
        if !found || longer || (is_word && behind.starts_with(in_name)) {
            return false;
        }
        self.at += token.len();
        true
    }

    fn level(&mut self, level: usize) -> Result<Expression, Mistake> {
        if level == LEVELS.len() {
            return self.unary();
        }
        if level == COMPARISONS && self.take("not") {
            let operand = self.deeper(|parser| parser.level(COMPARISONS))?;
            return Ok(Expression::Not(Box::new(operand)));
        }
        if level == BITS && self.take("~") {
            let flipped = self.flipped()?;
            return self.chain(level, flipped);
        }
        let left = self.level(level + 1)?;
        let whole = self.chain(level, left)?;
        match level {
            COMPARISONS => self.is(whole),
            _ => Ok(whole),
        }
    }

    /// What follows `~`, with all its bits flipped.
    fn flipped(&mut self) -> Result<Expression, Mistake> {
        let operand = self.deeper(|parser| parser.level(BITS + 1))?;
        let ones = Box::new(Expression::Constant(Value::Int(-1)));
        Ok(Expression::Binary(
            Operator::BitXor,
            Box::new(operand),
            ones,
        ))
    }

    /// Operators of a level behind their first operand.
    fn chain(&mut self, level: usize, mut left: Expression) -> Result<Expression, Mistake> {
        let operators = LEVELS.get(level).copied().unwrap_or_default();
        // A long chain is a deep tree all the same.
        let before = self.depth;
        while let Some(&(_, operator)) = operators.iter().find(|(token, _)| self.take(token)) {
            let right = self.deeper(|parser| parser.level(level + 1))?;
            self.depth += 1;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
        self.depth = before;
        Ok(left)
    }

    /// `IS [NOT] NULL`, `TRUE` or `FALSE`, `ISNULL` and `NOTNULL` behind an operand.
    fn is(&mut self, mut operand: Expression) -> Result<Expression, Mistake> {
        loop {
            let (negated, value) = if self.take("isnull") {
                (false, Value::Null)
            } else if self.take("notnull") {
                (true, Value::Null)
            } else if self.take("is") {
                let negated = self.take("not");
                let known = [
                    ("null", Value::Null),
                    ("true", Value::Bool(true)),
                    ("false", Value::Bool(false)),
                ];
                let Some((_, value)) = known.into_iter().find(|(name, _)| self.take(name)) else {
                    return Err(self.mistake("expected NULL, TRUE or FALSE behind IS"));
                };
                (negated, value)
            } else {
                return Ok(operand);
            };
            operand = Expression::Is(Box::new(operand), value);
            if negated {
                operand = Expression::Not(Box::new(operand));
            }
        }
    }

    /// What follows CASE, up to its END.
    fn case(&mut self) -> Result<Expression, Mistake> {
        let mut branches = Vec::new();
        while self.take("when") {
            let condition = self.deeper(|parser| parser.level(0))?;
            if !self.take("then") {
                return Err(self.mistake("expected THEN"));
            }
            let value = self.deeper(|parser| parser.level(0))?;
            branches.push((condition, value));
        }
        if branches.is_empty() {
            return Err(self.mistake("expected WHEN"));
        }
        let otherwise = match self.take("else") {
            true => self.deeper(|parser| parser.level(0))?,
            false => Expression::Constant(Value::Null),
        };
        match self.take("end") {
            true => Ok(Expression::Case(branches, Box::new(otherwise))),
            false => Err(self.mistake("expected WHEN, ELSE or END")),
        }
    }

    fn deeper(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Expression, Mistake>,
    ) -> Result<Expression, Mistake> {
        if self.depth >= DEEPEST {
            return Err(self.mistake("this expression is nested too deeply"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn unary(&mut self) -> Result<Expression, Mistake> {
        if self.take("-") {
            // The smallest number has no positive counterpart.
            if self.take("9223372036854775808") {
                return Ok(Expression::Constant(Value::Int(i64::MIN)));
            }
            let operand = self.deeper(Parser::unary)?;
            return Ok(Expression::Negative(Box::new(operand)));
        }
        if self.take("+") {
            return self.deeper(Parser::unary);
        }
        // As the operand of another operator: `:a & ~:b`.
        if self.take("~") {
            return self.flipped();
        }
        self.primary()
    }

    fn primary(&mut self) -> Result<Expression, Mistake> {
        if self.take("(") {
            let inner = self.deeper(|parser| parser.level(0))?;
            return match self.take(")") {
                true => Ok(inner),
                false => Err(self.mistake("expected ')'")),
            };
        }
        if self.take("case") {
            return self.case();
        }
        let rest = self.rest();
        if let Some(name) = rest.strip_prefix(':') {
            let length = name.find(|c| !in_name(c)).unwrap_or(name.len());
            let Some(place) = (self.variable)(&name[..length]) else {
                return Err(self.mistake(unknown(&name[..length])));
            };
            self.at += 1 + length;
            return Ok(Expression::Variable(place));
        }
        if rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.number(rest);
        }
        self.word(rest)
    }

    fn number(&mut self, rest: &str) -> Result<Expression, Mistake> {
        let mut length = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '.')
            .unwrap_or(rest.len());
        let exponent =
            rest[..length].ends_with(['e', 'E']) && rest[length..].starts_with(['+', '-']);
        if exponent {
            let digits = &rest[length + 1..];
            let more = digits.find(|c: char| !c.is_ascii_digit());
            length += 1 + more.unwrap_or(digits.len());
        }
        match Value::parse(&rest[..length]) {
            Value::Text(text) => Err(self.mistake(format!("'{text}' is not a number"))),
            value => {
                self.at += length;
                Ok(Expression::Constant(value))
            }
        }
    }

    fn word(&mut self, rest: &str) -> Result<Expression, Mistake> {
        let length = rest.find(|c| !in_name(c)).unwrap_or(rest.len());
        let name = rest[..length].to_ascii_lowercase();
        let value = match name.as_str() {
            "" => return Err(self.mistake("expected a number, a :variable or a function")),
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "null" => Some(Value::Null),
            _ => None,
        };
        if let Some(value) = value {
            self.at += length;
            return Ok(Expression::Constant(value));
        }
        let known = FUNCTIONS.iter().find(|function| function.0 == name);
        let Some(&(_, function, fewest, most)) = known else {
            let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.0).collect();
            let message = format!("no function '{name}'; there are {}", names.join(", "));
            return Err(self.mistake(message));
        };
        let at = self.at;
        self.at += length;
        let mut arguments = self.arguments()?;
        // A function without a seed uses the run's.
        let seeded = [
            Function::HashFnv1a,
            Function::HashMurmur2,
            Function::Permute,
        ];
        if seeded.contains(&function) && arguments.len() + 1 == most {
            let place = (self.variable)(DEFAULT_SEED);
            arguments.extend(place.map(Expression::Variable));
        }
        if !(fewest..=most).contains(&arguments.len()) {
            let message = format!("{name} takes {fewest} arguments, found {}", arguments.len());
            return Err(Mistake { at, message });
        }
        Ok(Expression::Call(function, arguments))
    }

    fn arguments(&mut self) -> Result<Vec<Expression>, Mistake> {
        if !self.take("(") {
            return Err(self.mistake("expected '('"));
        }
        let mut arguments = Vec::new();
        if self.take(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.deeper(|parser| parser.level(0))?);
            if self.take(")") {
                return Ok(arguments);
            }
            if !self.take(",") {
                return Err(self.mistake("expected ',' or ')'"));
            }
        }
    }
}
