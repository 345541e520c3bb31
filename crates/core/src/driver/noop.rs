//! A driver without a server: every byte fed completes a call. It shows what the tool itself costs.

use super::{Event, Failure, Fed, Parameters, Reply, Row, Session, Statement};

pub struct NoopSession;

impl Session for NoopSession {
    fn open(&mut self, out: &mut Vec<u8>) {
        out.push(0);
    }

    fn feed(&mut self, input: &[u8], _out: &mut Vec<u8>) -> Result<Fed, Failure> {
        // The loop-back transport repeats what was sent: 0 is the greeting, 1 a call.
        let event = input.first().map(|&byte| match byte {
            0 => Event::Authenticated,
            _ => Event::Done(Reply { rows: 1 }),
        });
        Ok(Fed {
            consumed: input.len().min(1),
            event,
        })
    }

    fn query(&mut self, _sql: &str, out: &mut Vec<u8>) {
        out.push(1);
    }

    fn rows(&self) -> &[Row] {
        &[]
    }

    fn execute(
        &mut self,
        _id: usize,
        _statement: &Statement,
        _parameters: &Parameters,
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
        let mut session = NoopSession;
        session.open(&mut out);
        let fed = session.feed(&out, &mut Vec::new()).unwrap();
        assert!(matches!(fed.event, Some(Event::Authenticated)));
        let fed = session.feed(&[1], &mut Vec::new()).unwrap();
        assert!(matches!(fed.event, Some(Event::Done(_))));
        assert!(session.feed(&[], &mut out).unwrap().event.is_none());
    }
}
