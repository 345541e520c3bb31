//! A workload as the other half describes it: one JSON document, with all of its settings.
//!
//! The Python models are the one list of settings, with their defaults and bounds. Here none has a default, and
//! what is unknown is refused, so that the two halves cannot come to mean different things.

use anyhow::Result;
use base::arguments::Usage;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::str::FromStr;

/// `{"workload": NAME, SETTING: VALUE, ...}`
#[derive(Clone, Debug, Deserialize)]
pub struct Document {
    pub workload: String,
    /// Statements of SQL files are sent as texts, with the values in them. A choice of the whole load, so it is not
    /// a setting of the workload.
    #[serde(skip)]
    pub as_texts: bool,
    #[serde(flatten)]
    settings: Map<String, Value>,
}

impl Document {
    /// The same workload, with its SQL files sent as texts or not.
    pub fn with_texts(&self, as_texts: bool) -> Document {
        Document {
            as_texts,
            ..self.clone()
        }
    }

    /// Its settings, all of them and no others.
    ///
    /// # Errors
    /// One is unknown, is missing, or is not what it should be.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_value(Value::Object(self.settings.clone()))
            .map_err(|problem| Usage::error(format!("the workload {}: {problem}", self.workload)))
    }
}

impl FromStr for Document {
    type Err = String;

    fn from_str(text: &str) -> Result<Document, String> {
        let expected = r#"expected {"workload": NAME, SETTING: VALUE, ...}"#;
        serde_json::from_str(text).map_err(|problem| format!("{expected}: {problem}"))
    }
}

/// A side workload that runs in addition to the load: `{"rate": TRANSACTIONS PER SECOND, "workload": {...}}`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alongside {
    pub rate: f64,
    pub workload: Document,
}

impl FromStr for Alongside {
    type Err = String;

    fn from_str(text: &str) -> Result<Alongside, String> {
        let alongside: Alongside =
            serde_json::from_str(text).map_err(|problem| problem.to_string())?;
        match alongside.rate {
            rate if rate > 0.0 && rate <= 10_000.0 => Ok(alongside),
            rate => Err(format!(
                "a rate of {rate}: expected one above 0 and up to 10000"
            )),
        }
    }
}
