//! What the arguments of a command line are made of, and what is wrong with them.

use std::time::Duration;

/// An error of the user's making: exit code 2.
#[derive(Debug)]
pub struct Usage(String);

impl Usage {
    pub fn error(message: impl Into<String>) -> anyhow::Error {
        anyhow::Error::new(Usage(message.into()))
    }

    pub fn wrap(error: anyhow::Error) -> anyhow::Error {
        Usage::error(format!("{error:#}"))
    }
}

impl std::fmt::Display for Usage {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// A time such as 500ms, 1.5s, 2m; a bare number is seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("expected a time such as 500ms, 1s or 2m, found '{text}'");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match &text[digits.len()..] {
        "us" => 1e-6,
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let seconds = number * scale;
    if !(seconds > 0.0 && seconds < 1e9) {
        return Err(wrong());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// A name that needs no quoting in SQL.
pub fn identifier(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if text.is_empty() || !text.chars().all(plain) || text.starts_with(|c: char| c.is_ascii_digit())
    {
        return Err("expected letters, digits and underscores, no digit first".to_string());
    }
    Ok(text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_need_no_quoting() {
        assert_eq!(
            identifier("fivenines_ledger2"),
            Ok("fivenines_ledger2".to_string())
        );
        for text in ["", "2a", "a b", "a;", "a.b"] {
            assert!(identifier(text).is_err(), "{text}");
        }
    }

    #[test]
    fn reads_times_with_units() {
        assert_eq!(seconds("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(seconds("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(seconds("1d"), Ok(Duration::from_secs(86_400)));
        for text in ["", "s", "-1s", "0", "1w", "nan", "inf"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
