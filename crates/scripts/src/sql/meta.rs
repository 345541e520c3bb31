//! The commands that give variables values, and `\sleep`'s time.

use super::program::{Mistake, Reader, Step, is_name};
use super::value::Value;
use std::time::Duration;

const COMMANDS: &str = "\\set, \\setrandom, \\setstring, \\setletters, \\sleep, \\if, \\elif, \\else, \\endif, \
                        and \\into behind a statement";

/// Reads the command `name`, whose arguments begin at `behind`.
pub fn set(
    reader: &mut Reader,
    name: &str,
    arguments: &str,
    at: usize,
    behind: usize,
) -> Result<(), Mistake> {
    if !matches!(name, "set" | "setrandom" | "setstring" | "setletters") {
        let message = format!("no command '\\{name}'; there are {COMMANDS}");
        return Err(reader.mistake(at, message));
    }
    let length = arguments
        .find(char::is_whitespace)
        .unwrap_or(arguments.len());
    let (variable, rest) = arguments.split_at(length);
    if !is_name(variable) {
        return Err(reader.mistake(at, format!("\\{name} needs a variable's name first")));
    }
    let value = rest.trim();
    let value_at = behind + length + (rest.len() - rest.trim_start().len());
    if value.is_empty() {
        return Err(reader.mistake(at, format!("\\{name} needs a value behind the name")));
    }
    let line = reader.line(at);
    let step = match name {
        "set" => {
            // The value may use what the variable was before.
            let expression = reader.expression(value, value_at)?;
            Step::Set {
                variable: reader.place(variable),
                expression,
                line,
            }
        }
        "setstring" => Step::SetString {
            variable: reader.place(variable),
            pattern: unquoted(value).to_string(),
        },
        _ => {
            let (low, high) = two(value).ok_or_else(|| {
                let message =
                    format!("\\{name} needs two values behind the name, without spaces in them");
                reader.mistake(at, message)
            })?;
            let high_at = value_at + value.len() - high.len();
            let lengths = [
                reader.expression(low, value_at)?,
                reader.expression(high, high_at)?,
            ];
            let variable = reader.place(variable);
            match name {
                "setletters" => Step::SetLetters {
                    variable,
                    lengths,
                    line,
                },
                _ => Step::Set {
                    variable,
                    expression: random(lengths),
                    line,
                },
            }
        }
    };
    reader.program.steps.push(step);
    Ok(())
}

fn random([low, high]: [super::expression::Expression; 2]) -> super::expression::Expression {
    use super::expression::{Expression, Function};
    Expression::Call(Function::Random, vec![low, high])
}

fn two(text: &str) -> Option<(&str, &str)> {
    let mut words = text.split_whitespace();
    let pair = (words.next()?, words.next()?);
    words.next().is_none().then_some(pair)
}

fn unquoted(text: &str) -> &str {
    let inner = text
        .strip_prefix('\'')
        .and_then(|text| text.strip_suffix('\''));
    inner.unwrap_or(text)
}

/// `\sleep`'s time: a number or a defined variable, then us, ms or s (the default).
pub fn pause(text: &str, defined: &dyn Fn(&str) -> Option<Value>) -> Result<Duration, String> {
    let mut words = text.split_whitespace();
    let number = words.next().unwrap_or_default();
    let number = match number.strip_prefix(':') {
        Some(name) => defined(name).and_then(|value| value.float()),
        None => number.parse().ok(),
    };
    let scale = match words.next() {
        None | Some("s") => 1.0,
        Some("ms") => 1e-3,
        Some("us") => 1e-6,
        Some(_) => f64::NAN,
    };
    let seconds = number.unwrap_or(f64::NAN) * scale;
    match (0.0..=86_400.0).contains(&seconds) && words.next().is_none() {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err(
            "\\sleep needs a time such as 100 ms: a number or a :variable given by --define, \
                      then us, ms or s"
                .to_string(),
        ),
    }
}
