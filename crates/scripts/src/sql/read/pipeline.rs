//! `\startpipeline`, `\syncpipeline` and `\endpipeline`: statements that are sent without waiting for answers.
//!
//! They are sent as one text, up to each synchronisation: one round trip, and one transaction where they begin none.

use super::super::program::Part;
use super::commands::SETTING;
use super::reader::{Mistake, Pipeline, Reader};

impl Reader<'_> {
    /// Whether a command within a pipeline has the same effect in front of it: it sets a variable which no statement
    /// since the last synchronisation takes.
    pub fn can_precede_pipeline(&self, name: &str, arguments: &str) -> bool {
        if !SETTING.contains(&name) {
            return false;
        }
        let open = self.pipeline.as_ref();
        let Some((_, draft)) = open.and_then(|open| open.statements.as_ref()) else {
            return true;
        };
        let variable = arguments.split_whitespace().next().unwrap_or_default();
        let place = self.known(variable);
        !draft.parts.iter().any(|part| match part {
            Part::Value(taken) | Part::Quoted(taken) => Some(*taken) == place,
            Part::Sql(_) => false,
        })
    }

    pub fn pipeline(&mut self, name: &str, at: usize) -> Result<(), Mistake> {
        if name == "startpipeline" {
            if self.pipeline.is_some() {
                return Err(self.mistake(at, "\\startpipeline within a pipeline"));
            }
            self.pipeline = Some(Pipeline {
                at,
                statements: None,
            });
            return Ok(());
        }
        let Some(open) = self.pipeline.take() else {
            return Err(self.mistake(at, format!("\\{name} without \\startpipeline")));
        };
        if let Some((start, draft)) = open.statements {
            self.finish(start, draft)?;
        }
        if name == "syncpipeline" {
            self.pipeline = Some(Pipeline {
                at: open.at,
                statements: None,
            });
        }
        Ok(())
    }
}
