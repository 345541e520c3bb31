//! What the program has to do, and the settings of driver and pool.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

/// The task: see `fivenines.load.stacks.protocol`.
#[derive(Deserialize)]
pub struct Task {
    pub servers: Vec<String>,
    pub user: String,
    pub password: String,
    pub database: String,
    pub table: String,
    pub workers: u32,
    pub think_ms: u64,
    pub pause_ms: u64,
    pub repeat: bool,
    pub suffix: String,
    options: BTreeMap<String, Value>,
}

impl Task {
    /// Reads it from the first line of standard input.
    pub fn read() -> Result<Task, String> {
        let mut line = String::new();
        io::stdin()
            .read_line(&mut line)
            .map_err(|error| format!("no task on standard input: {error}"))?;
        serde_json::from_str(&line).map_err(|error| format!("the task is not valid: {error}"))
    }

    /// Returns host and port of each server.
    pub fn hosts(&self) -> Result<Vec<(String, u16)>, String> {
        let parsed = self.servers.iter().map(|server| {
            let (host, port) = server.rsplit_once(':')?;
            let host = host.trim_start_matches('[').trim_end_matches(']');
            Some((host.to_owned(), port.parse().ok()?))
        });
        parsed
            .collect::<Option<Vec<_>>>()
            .filter(|hosts| !hosts.is_empty())
            .ok_or_else(|| format!("servers {:?}: write host:port", self.servers))
    }

    /// Returns the settings of the driver and of the pool.
    pub fn settings(&self) -> Result<(Settings, Settings), String> {
        let (mut connect, mut pool) = (Settings::of("connect"), Settings::of("pool"));
        for (key, value) in &self.options {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let (prefix, name) = key.split_once('.').unwrap_or((key, ""));
            match prefix {
                "connect" => connect.values.insert(name.to_owned(), text),
                "pool" => pool.values.insert(name.to_owned(), text),
                _ => return Err(format!("setting {key}: write connect.NAME or pool.NAME")),
            };
        }
        Ok((connect, pool))
    }
}

/// Settings with the same prefix. Each is taken by its name; what is left at the end is unknown.
pub struct Settings {
    prefix: &'static str,
    pub values: BTreeMap<String, String>,
    known: Vec<&'static str>,
}

impl Settings {
    fn of(prefix: &'static str) -> Settings {
        Settings {
            prefix,
            values: BTreeMap::new(),
            known: Vec::new(),
        }
    }

    /// Takes a text.
    pub fn text(&mut self, name: &'static str) -> Option<String> {
        self.known.push(name);
        self.values.remove(name)
    }

    /// Takes a time such as `5s` or `500ms`.
    pub fn time(&mut self, name: &'static str) -> Result<Option<Duration>, String> {
        self.parsed(name, "a time such as 5s", time)
    }

    /// Takes a number.
    pub fn number(&mut self, name: &'static str) -> Result<Option<u32>, String> {
        self.parsed(name, "a number", |text| text.parse().ok())
    }

    /// Takes `true` or `false`.
    pub fn switch(&mut self, name: &'static str) -> Result<Option<bool>, String> {
        self.parsed(name, "true or false", |text| text.parse().ok())
    }

    /// Takes one of several words; returns the value next to it.
    pub fn choice<T: Clone>(
        &mut self,
        name: &'static str,
        choices: &[(&str, T)],
    ) -> Result<Option<T>, String> {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        self.parsed(name, &format!("one of {}", words.join(", ")), |text| {
            choices
                .iter()
                .find(|(word, _)| *word == text)
                .map(|(_, value)| value.clone())
        })
    }

    /// Fails if a setting is left: it would be ignored.
    pub fn finish(self) -> Result<(), String> {
        match self.values.into_keys().next() {
            None => Ok(()),
            Some(name) => Err(format!(
                "setting {}.{name}: this stack has {}",
                self.prefix,
                self.known.join(", ")
            )),
        }
    }

    fn parsed<T>(
        &mut self,
        name: &'static str,
        wanted: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, String> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let wrong = || {
            format!(
                "setting {}.{name}: write {wanted} instead of {text}",
                self.prefix
            )
        };
        parse(&text).ok_or_else(wrong).map(Some)
    }
}

fn time(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit())?);
    let number: u64 = number.parse().ok()?;
    match unit {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        "m" => number.checked_mul(60).map(Duration::from_secs),
        _ => None,
    }
}

/// Returns the version of a package that the program was built with.
pub fn version(package: &str) -> &'static str {
    let beginning = format!("name = \"{package}\"\nversion = \"");
    include_str!("../Cargo.lock")
        .split_once(&beginning)
        .and_then(|(_, rest)| rest.split('"').next())
        .unwrap_or("of an unknown version")
}
