//! Command-line parameters of the user's own scripts.

use std::path::PathBuf;
use std::str::FromStr;

#[derive(Clone, Debug, Default, clap::Args)]
pub struct ScriptOptions {
    /// A script of one's own: SQL with parameters (.sql), or sysbench's Lua (.lua); several by weight.
    #[arg(long, value_name = "FILE[@WEIGHT]")]
    pub script: Vec<ScriptFile>,
    /// A variable of SQL files.
    #[arg(long, value_name = "NAME=VALUE", value_parser = definition)]
    pub define: Vec<(String, String)>,
    /// Behind `--`: a Lua script's own options, as in `-- --tables=4`; `-- --help` lists them.
    #[arg(last = true, value_name = "SCRIPT OPTION")]
    pub script_args: Vec<String>,
}

/// A script with its weight among several.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptFile {
    pub path: PathBuf,
    pub weight: f64,
    pub is_lua: bool,
}

impl FromStr for ScriptFile {
    type Err = String;

    fn from_str(text: &str) -> Result<ScriptFile, String> {
        let (path, weight) = match text.rsplit_once('@') {
            Some((path, weight))
                if !weight.contains(['/', '.']) || weight.parse::<f64>().is_ok() =>
            {
                (path, weight)
            }
            _ => (text, "1"),
        };
        let is_lua = path.ends_with(".lua");
        if !is_lua && !path.ends_with(".sql") {
            return Err("expected a file that ends in .sql or .lua".to_string());
        }
        match weight.parse::<f64>() {
            Ok(weight) if weight > 0.0 && weight.is_finite() => Ok(ScriptFile {
                path: PathBuf::from(path),
                weight,
                is_lua,
            }),
            _ => Err(format!("the weight '{weight}' is not a number above 0")),
        }
    }
}

fn definition(text: &str) -> Result<(String, String), String> {
    let wrong = || format!("expected NAME=VALUE, found '{text}'");
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = !name.is_empty() && name.chars().all(plain);
    match is_name && !name.starts_with(|c: char| c.is_ascii_digit()) {
        true => Ok((name.to_string(), value.to_string())),
        false => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_kinds_and_weights() {
        let file: ScriptFile = "a/b.sql@2.5".parse().unwrap();
        assert_eq!(
            (file.path.to_str(), file.weight, file.is_lua),
            (Some("a/b.sql"), 2.5, false)
        );
        let file: ScriptFile = "a@b/c.lua".parse().unwrap();
        assert_eq!(
            (file.path.to_str(), file.weight, file.is_lua),
            (Some("a@b/c.lua"), 1.0, true)
        );
        for text in ["a.txt", "a.sql@0", "a.sql@x", ""] {
            assert!(text.parse::<ScriptFile>().is_err(), "{text}");
        }
    }

    #[test]
    fn definitions_have_names() {
        assert_eq!(definition("scale=10"), Ok(("scale".into(), "10".into())));
        assert_eq!(definition("a=b=c"), Ok(("a".into(), "b=c".into())));
        for text in ["a", "=1", "1a=2", "a b=1"] {
            assert!(definition(text).is_err(), "{text}");
        }
    }
}
