//! \if, \elif, \else and \endif: jumps with targets that are known later.

use super::super::program::Step;
use super::reader::{Branch, Mistake, Reader};

impl Reader<'_> {
    pub fn branch(
        &mut self,
        name: &str,
        condition: &str,
        at: usize,
        behind: usize,
    ) -> Result<(), Mistake> {
        if name == "if" {
            self.branches.push(Branch {
                unless: None,
                ends: Vec::new(),
                at,
            });
            return self.condition(condition, at, behind);
        }
        let here = self.program.steps.len();
        let Some(branch) = self.branches.last_mut() else {
            return Err(self.mistake(at, format!("\\{name} without \\if")));
        };
        if name != "endif" && branch.unless.is_none() {
            return Err(self.mistake(at, format!("\\{name} after \\else")));
        }
        let unless = branch.unless.take();
        if name != "endif" {
            branch.ends.push(here);
            self.program.steps.push(Step::GoTo { next: 0 });
        }
        self.land(unless);
        match name {
            "elif" => self.condition(condition, at, behind),
            "else" => Ok(()),
            _ => {
                let ends = self.branches.pop().map_or(Vec::new(), |branch| branch.ends);
                ends.into_iter().for_each(|end| self.land(Some(end)));
                Ok(())
            }
        }
    }

    fn condition(&mut self, text: &str, at: usize, behind: usize) -> Result<(), Mistake> {
        let condition = self.expression(text, behind)?;
        if let Some(branch) = self.branches.last_mut() {
            branch.unless = Some(self.program.steps.len());
        }
        self.program.steps.push(Step::Unless {
            condition,
            next: 0,
            line: self.line(at),
        });
        Ok(())
    }

    /// Makes the jump at this step end here.
    fn land(&mut self, step: Option<usize>) {
        let here = self.program.steps.len();
        let jump = step.and_then(|step| self.program.steps.get_mut(step));
        if let Some(Step::GoTo { next } | Step::Unless { next, .. }) = jump {
            *next = here;
        }
    }
}
