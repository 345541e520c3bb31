//! Settings of the user's own scripts.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptOptions {
    /// SQL with parameters (.sql), or sysbench's Lua (.lua); several by weight.
    pub files: Vec<ScriptFile>,
    /// Variables of SQL files.
    pub define: BTreeMap<String, String>,
    /// A Lua script's own options.
    pub options: BTreeMap<String, String>,
}

/// A script with its weight among several.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptFile {
    pub path: PathBuf,
    pub weight: f64,
}

impl ScriptFile {
    pub fn is_lua(&self) -> bool {
        self.path.extension().is_some_and(|kind| kind == "lua")
    }
}
