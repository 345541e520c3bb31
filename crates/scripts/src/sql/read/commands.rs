//! The commands that give variables values, and `\sleep`'s time.

use super::super::expression::{Expression, Function};
use super::super::program::{Step, pause};
use super::reader::{Mistake, Reader, is_name};

/// Those that give a variable a value.
pub const SETTING: [&str; 4] = ["set", "setrandom", "setstring", "setletters"];

const COMMANDS: &str = "\\set, \\setrandom, \\setstring, \\setletters, \\sleep, \\if, \\elif, \\else, \\endif, \
                        \\startpipeline, \\syncpipeline, \\endpipeline, and behind a statement \\gset, \\aset and \\into";

/// Reads the command `name` with its arguments, which begin at `behind`.
pub fn set(
    reader: &mut Reader,
    name: &str,
    arguments: &str,
    at: usize,
    behind: usize,
) -> Result<(), Mistake> {
    if matches!(name, "shell" | "setshell") {
        let message = format!(
            "\\{name} runs a program within a transaction, which fivenines does not do: \
             its time would be the database's"
        );
        return Err(reader.mistake(at, message));
    }
    if !SETTING.contains(&name) {
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
        _ => bounded(reader, name, variable, value, (at, value_at))?,
    };
    reader.program.steps.push(step);
    Ok(())
}

/// `\setletters` and `\setrandom`, with words as values: two bounds, then a distribution for `\setrandom`.
fn bounded(
    reader: &mut Reader,
    name: &str,
    variable: &str,
    value: &str,
    (at, value_at): (usize, usize),
) -> Result<Step, Mistake> {
    let mut words = Vec::new();
    for word in value.split_whitespace() {
        let offset = word.as_ptr() as usize - value.as_ptr() as usize;
        words.push((word, value_at + offset));
    }
    let shape = match (name, words.get(2..).unwrap_or_default()) {
        (_, []) => Function::Random,
        ("setrandom", [("uniform", _)]) => Function::Random,
        ("setrandom", [("gaussian", _), _]) => Function::RandomGaussian,
        ("setrandom", [("exponential", _), _]) => Function::RandomExponential,
        _ => {
            words.clear();
            Function::Random
        }
    };
    let (Some(low), Some(high)) = (words.first().copied(), words.get(1).copied()) else {
        let message = format!("\\{name} needs two values behind the name, without spaces in them");
        return Err(reader.mistake(at, message));
    };
    let mut bounds = Vec::new();
    for (word, word_at) in [low, high] {
        bounds.push(reader.expression(word, word_at)?);
    }
    if let Some((word, word_at)) = words.get(3) {
        bounds.push(reader.expression(word, *word_at)?);
    }
    let line = reader.line(at);
    let variable = reader.place(variable);
    Ok(match (name, bounds.as_slice()) {
        ("setletters", [low, high]) => Step::SetLetters {
            variable,
            lengths: [low.clone(), high.clone()],
            line,
        },
        _ => Step::Set {
            variable,
            expression: Expression::Call(shape, bounds),
            line,
        },
    })
}

fn unquoted(text: &str) -> &str {
    let inner = text
        .strip_prefix('\'')
        .and_then(|text| text.strip_suffix('\''));
    inner.unwrap_or(text)
}

/// `\sleep`'s time, a number or a variable, and its unit in seconds.
pub fn sleep(
    reader: &mut Reader,
    text: &str,
    at: usize,
    behind: usize,
) -> Result<(Expression, f64), Mistake> {
    let wrong = "\\sleep needs a time such as 100 ms: a number or a :variable, then us, ms or s";
    let mut words = text.split_whitespace();
    let mut time = words.next().unwrap_or_default();
    let mut unit = words.next();
    // `100ms` is one word.
    let digits = time
        .find(|c: char| c.is_ascii_alphabetic())
        .filter(|_| !time.starts_with(':'));
    if let (Some(end), None) = (digits, unit) {
        unit = Some(&time[end..]);
        time = &time[..end];
    }
    let scale = match unit.unwrap_or("s").to_ascii_lowercase().as_str() {
        "s" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        _ => return Err(reader.mistake(at, wrong)),
    };
    if time.is_empty() || words.next().is_some() {
        return Err(reader.mistake(at, wrong));
    }
    if !time.starts_with(':') && time.parse::<f64>().is_err() {
        return Err(reader.mistake(at, wrong));
    }
    let time = reader.expression(time, behind)?;
    if let Expression::Constant(value) = &time
        && pause(value, scale).is_err()
    {
        return Err(reader.mistake(at, wrong));
    }
    Ok((time, scale))
}
