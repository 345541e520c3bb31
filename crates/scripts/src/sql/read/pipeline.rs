//! `\startpipeline`, `\syncpipeline` and `\endpipeline`: statements that are sent without waiting for answers.
//!
//! They are sent as one text, up to each synchronisation: one round trip, and one transaction where they begin none.

use super::reader::{Mistake, Pipeline, Reader};

impl Reader<'_> {
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
