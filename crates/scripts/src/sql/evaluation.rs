//! The value of an expression.

use super::expression::{Expression, Function, Operator};
use super::hash;
use super::random;
use super::value::Value;
use base::rng::Rng;

/// What is wrong with a variable that no result gave a value.
pub const UNSET: &str = "a variable has no value: no result before had a column of its name";

impl Expression {
    /// Its value, or why there is none.
    pub fn value(&self, variables: &[Value], rng: &mut Rng) -> Result<Value, String> {
        match self {
            Expression::Constant(value) => Ok(value.clone()),
            Expression::Variable(place) => match variables.get(*place) {
                Some(Value::Unset) => Err(UNSET.to_string()),
                found => Ok(found.unwrap_or(&Value::Null).meaning()),
            },
            Expression::Negative(operand) => match operand.value(variables, rng)? {
                Value::Double(value) => Ok(Value::Double(-value)),
                value => arithmetic(Operator::Minus, &Value::Int(0), &value),
            },
            Expression::Not(operand) => match operand.value(variables, rng)? {
                Value::Null => Ok(Value::Null),
                value => truth(&value).map(|value| Value::Bool(!value)),
            },
            Expression::Is(operand, wanted) => match operand.value(variables, rng)? {
                Value::Null => Ok(Value::Bool(*wanted == Value::Null)),
                _ if *wanted == Value::Null => Ok(Value::Bool(false)),
                Value::Text(text) => {
                    let named = boolean(&text).map(Value::Bool);
                    Ok(Value::Bool(named.as_ref() == Some(wanted)))
                }
                // As in pgbench a number IS neither: `2 is true` is false.
                value => Ok(Value::Bool(value == *wanted)),
            },
            Expression::Case(branches, otherwise) => {
                for (condition, value) in branches {
                    if condition.holds(variables, rng)? {
                        return value.value(variables, rng);
                    }
                }
                otherwise.value(variables, rng)
            }
            // As in pgbench, and other than in SQL: an operand that is null decides, if no other did before.
            Expression::Binary(operator @ (Operator::And | Operator::Or), left, right) => {
                let decisive = *operator == Operator::Or;
                for operand in [left, right] {
                    match operand.value(variables, rng)? {
                        Value::Null => return Ok(Value::Null),
                        value if truth(&value)? == decisive => return Ok(Value::Bool(decisive)),
                        _ => {}
                    }
                }
                Ok(Value::Bool(!decisive))
            }
            Expression::Binary(operator, left, right) => {
                let (left, right) = (left.value(variables, rng)?, right.value(variables, rng)?);
                binary(*operator, &left, &right)
            }
            Expression::Call(function, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(argument.value(variables, rng)?);
                }
                call(*function, &values, rng)
            }
        }
    }

    /// Whether it holds, for `\if`; a null does not.
    pub fn holds(&self, variables: &[Value], rng: &mut Rng) -> Result<bool, String> {
        match self.value(variables, rng)? {
            Value::Null => Ok(false),
            value => truth(&value),
        }
    }
}

/// The truth value that a text names: the beginning of a word, as pgbench takes it.
fn boolean(text: &str) -> Option<bool> {
    let lower = text.to_ascii_lowercase();
    let names = [
        ("true", true),
        ("yes", true),
        ("on", true),
        ("false", false),
        ("no", false),
        ("off", false),
    ];
    // `o` alone could be either.
    let fits = |name: &str| name.starts_with(&lower) && !lower.is_empty() && lower != "o";
    let found = names.into_iter().find(|(name, _)| fits(name));
    found.map(|(_, value)| value)
}

fn truth(value: &Value) -> Result<bool, String> {
    match value {
        Value::Bool(value) => Ok(*value),
        Value::Int(value) => Ok(*value != 0),
        Value::Double(value) => Ok(*value != 0.0),
        Value::Text(text) => {
            boolean(text).ok_or_else(|| format!("'{text}' is neither true nor false"))
        }
        other => Err(format!("{} is neither true nor false", other.name())),
    }
}

fn binary(operator: Operator, left: &Value, right: &Value) -> Result<Value, String> {
    match operator {
        _ if *left == Value::Null || *right == Value::Null => Ok(Value::Null),
        Operator::Plus
        | Operator::Minus
        | Operator::Times
        | Operator::Divide
        | Operator::Modulo => arithmetic(operator, left, right),
        Operator::BitAnd
        | Operator::BitOr
        | Operator::BitXor
        | Operator::ShiftLeft
        | Operator::ShiftRight => bits(operator, whole(left)?, whole(right)?).map(Value::Int),
        _ => compare(operator, left, right).map(Value::Bool),
    }
}

fn compare(operator: Operator, left: &Value, right: &Value) -> Result<bool, String> {
    use std::cmp::Ordering;
    let order = match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
        _ => match (left.float(), right.float()) {
            (Some(left), Some(right)) => left.partial_cmp(&right),
            _ => {
                return Err(format!(
                    "cannot compare {} with {}",
                    left.name(),
                    right.name()
                ));
            }
        },
    };
    Ok(match operator {
        Operator::Equal => order == Some(Ordering::Equal),
        Operator::Different => order != Some(Ordering::Equal),
        Operator::Less => order == Some(Ordering::Less),
        Operator::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Operator::Greater => order == Some(Ordering::Greater),
        _ => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    })
}

fn arithmetic(operator: Operator, left: &Value, right: &Value) -> Result<Value, String> {
    if let (Value::Int(left), Value::Int(right)) = (left, right) {
        if matches!(operator, Operator::Divide | Operator::Modulo) && *right == 0 {
            return Err("division by zero".to_string());
        }
        let result = match operator {
            Operator::Plus => left.checked_add(*right),
            Operator::Minus => left.checked_sub(*right),
            Operator::Times => left.checked_mul(*right),
            Operator::Divide => left.checked_div(*right),
            _ => Some(left.wrapping_rem(*right)),
        };
        return result
            .map(Value::Int)
            .ok_or_else(|| "a whole number beyond 64 bits".to_string());
    }
    if *left == Value::Null || *right == Value::Null {
        return Ok(Value::Null);
    }
    let (left, right) = (float(left)?, float(right)?);
    Ok(Value::Double(match operator {
        Operator::Plus => left + right,
        Operator::Minus => left - right,
        Operator::Times => left * right,
        Operator::Divide => left / right,
        _ => left % right,
    }))
}

fn float(value: &Value) -> Result<f64, String> {
    value
        .float()
        .ok_or_else(|| format!("cannot reckon with {}", value.name()))
}

fn whole(value: &Value) -> Result<i64, String> {
    match *value {
        Value::Int(value) => Ok(value),
        Value::Bool(value) => Ok(i64::from(value)),
        Value::Double(value) if value.abs() < 9.2e18 => Ok(value.round_ties_even() as i64),
        Value::Double(_) => Err("a whole number beyond 64 bits".to_string()),
        ref other => Err(format!("{} is not a whole number", other.name())),
    }
}

fn bits(operator: Operator, left: i64, right: i64) -> Result<i64, String> {
    let places = || match u32::try_from(right) {
        Ok(places) if places < i64::BITS => Ok(places),
        _ => Err(format!("no shift by {right} bits: from 0 to 63")),
    };
    Ok(match operator {
        Operator::BitAnd => left & right,
        Operator::BitOr => left | right,
        Operator::BitXor => left ^ right,
        Operator::ShiftLeft => left << places()?,
        _ => left >> places()?,
    })
}

fn call(function: Function, values: &[Value], rng: &mut Rng) -> Result<Value, String> {
    if function == Function::Debug {
        eprintln!("debug: {} {}", values[0].type_name(), values[0]);
        return Ok(values[0].clone());
    }
    if values.contains(&Value::Null) {
        return Ok(Value::Null);
    }
    Ok(match function {
        Function::Debug => values[0].clone(),
        Function::HashFnv1a => Value::Int(hash::fnv1a(whole(&values[0])?, whole(&values[1])?)),
        Function::HashMurmur2 => Value::Int(hash::murmur2(whole(&values[0])?, whole(&values[1])?)),
        Function::Permute => {
            let [number, size, seed] = [whole(&values[0])?, whole(&values[1])?, whole(&values[2])?];
            if size <= 0 {
                return Err(format!("permute: the size must be above 0, found {size}"));
            }
            Value::Int(hash::permute(number, size, seed))
        }
        Function::Abs => match &values[0] {
            Value::Int(value) => {
                Value::Int(value.checked_abs().ok_or("a whole number beyond 64 bits")?)
            }
            other => Value::Double(float(other)?.abs()),
        },
        Function::Int => Value::Int(whole(&values[0])?),
        Function::Double => Value::Double(float(&values[0])?),
        Function::Exp => Value::Double(float(&values[0])?.exp()),
        Function::Ln => Value::Double(float(&values[0])?.ln()),
        Function::Sqrt => Value::Double(float(&values[0])?.sqrt()),
        Function::Power => Value::Double(float(&values[0])?.powf(float(&values[1])?)),
        Function::Pi => Value::Double(std::f64::consts::PI),
        Function::Mod => arithmetic(Operator::Modulo, &values[0], &values[1])?,
        Function::Greatest => extreme(values, Operator::Greater)?,
        Function::Least => extreme(values, Operator::Less)?,
        Function::Random
        | Function::RandomExponential
        | Function::RandomGaussian
        | Function::RandomZipfian => Value::Int(draw(function, values, rng)?),
    })
}

fn extreme(values: &[Value], better: Operator) -> Result<Value, String> {
    let mut best = &values[0];
    for value in &values[1..] {
        if compare(better, value, best)? {
            best = value;
        }
    }
    // One double makes the result a double.
    match values.iter().any(|value| matches!(value, Value::Double(_))) {
        true => Ok(Value::Double(float(best)?)),
        false => Ok(best.clone()),
    }
}

fn draw(function: Function, values: &[Value], rng: &mut Rng) -> Result<i64, String> {
    let (low, high) = (whole(&values[0])?, whole(&values[1])?);
    if low > high {
        return Err(format!("no number from {low} to {high}"));
    }
    let parameter = values.get(2).map_or(Ok(0.0), float)?;
    let within = |range: std::ops::RangeInclusive<f64>| match range.contains(&parameter) {
        true => Ok(()),
        false => Err(format!(
            "the parameter must be from {} to {}, found {parameter}",
            range.start(),
            range.end()
        )),
    };
    match function {
        Function::RandomExponential => {
            within(f64::MIN_POSITIVE..=700.0)?;
            Ok(random::exponential(rng, low, high, parameter))
        }
        Function::RandomGaussian => {
            within(2.0..=f64::MAX)?;
            Ok(random::gaussian(rng, low, high, parameter))
        }
        Function::RandomZipfian => {
            within(1.001..=1000.0)?;
            Ok(random::zipfian(rng, low, high, parameter))
        }
        _ => Ok(random::uniform(rng, low, high)),
    }
}
