//! A driver without a server: every byte fed completes a call. It shows what the tool itself costs.

use crate::effect::Effect;
use crate::failure::Failure;
use crate::parameters::Parameters;
use crate::session::{Call, Event, Fed, Reply, Session};
use crate::statement::Statement;

#[derive(Default)]
pub struct NoopSession {
    /// Its rows are always empty; a workload that asks for a field of them gets zeros.
    call: Call,
}

impl Session for NoopSession {
    fn open(&mut self, out: &mut Vec<u8>) {
        out.push(0);
    }

    fn quit(&mut self, _out: &mut Vec<u8>) {}

    fn feed(&mut self, input: &[u8], _out: &mut Vec<u8>) -> Result<Fed, Failure> {
        // The loop-back transport repeats what was sent: 0 is the greeting, 1 a call.
        let event = input.first().map(|&byte| match byte {
            0 => Event::Authenticated,
            _ => Event::Done(Reply {
                rows: 1,
                affected: 1,
            }),
        });
        Ok(Fed {
            consumed: input.len().min(1),
            event,
        })
    }

    fn secured(&mut self, _certificate: &[u8], _out: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(())
    }

    fn text(&mut self, _sql: &[u8], _effect: Effect, _keep_rows: bool, out: &mut Vec<u8>) {
        out.push(1);
    }

    fn call(&mut self) -> &mut Call {
        &mut self.call
    }

    fn execute(
        &mut self,
        _id: usize,
        _statement: &Statement,
        _parameters: &Parameters,
        _keep_rows: bool,
        out: &mut Vec<u8>,
    ) {
        out.push(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_everything() {
        let mut out = Vec::new();
        let mut session = NoopSession::default();
        session.open(&mut out);
        let fed = session.feed(&out, &mut Vec::new()).unwrap();
        assert!(matches!(fed.event, Some(Event::Authenticated)));
        let fed = session.feed(&[1], &mut Vec::new()).unwrap();
        assert!(matches!(fed.event, Some(Event::Done(_))));
        assert!(session.feed(&[], &mut out).unwrap().event.is_none());
    }
}
