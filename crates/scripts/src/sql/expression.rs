//! The expressions of `\set` and `\if`: read once by `parser`, evaluated for every transaction.

use super::value::Value;

#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    Constant(Value),
    /// A variable by its place.
    Variable(usize),
    Negative(Box<Expression>),
    Not(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// `IS`: the same truth value, or both null.
    Is(Box<Expression>, Value),
    /// Conditions with their values, then the value where none of them holds.
    Case(Vec<(Expression, Expression)>, Box<Expression>),
    Call(Function, Vec<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Or,
    And,
    Equal,
    Different,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Abs,
    Debug,
    Double,
    Exp,
    Greatest,
    HashFnv1a,
    HashMurmur2,
    Int,
    Least,
    Ln,
    Mod,
    Permute,
    Pi,
    Power,
    Random,
    RandomExponential,
    RandomGaussian,
    RandomZipfian,
    Sqrt,
}

/// What is wrong with an expression, and where in it (in bytes).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub at: usize,
    pub message: String,
}

impl Expression {
    /// The same without its calls of `debug`, for silent runs.
    pub fn silent(self) -> Expression {
        let boxed = |inner: Box<Expression>| Box::new(inner.silent());
        match self {
            Expression::Call(Function::Debug, mut arguments) if arguments.len() == 1 => {
                arguments.remove(0).silent()
            }
            Expression::Call(function, arguments) => {
                let arguments = arguments.into_iter().map(Expression::silent);
                Expression::Call(function, arguments.collect())
            }
            Expression::Negative(inner) => Expression::Negative(boxed(inner)),
            Expression::Not(inner) => Expression::Not(boxed(inner)),
            Expression::Is(inner, value) => Expression::Is(boxed(inner), value),
            Expression::Binary(operator, left, right) => {
                Expression::Binary(operator, boxed(left), boxed(right))
            }
            Expression::Case(branches, otherwise) => {
                let branches = branches.into_iter();
                let silent =
                    branches.map(|(condition, value)| (condition.silent(), value.silent()));
                Expression::Case(silent.collect(), boxed(otherwise))
            }
            constant => constant,
        }
    }
}

/// The variable that seeds hashes and permutations.
pub const DEFAULT_SEED: &str = "default_seed";

/// A character of a variable's or function's name.
pub fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

pub fn unknown(name: &str) -> String {
    format!("no variable '{name}' here: \\set it before, or give --define {name}=VALUE")
}

#[cfg(test)]
#[path = "expression_tests.rs"]
mod tests;
