//! What the protocols' tests share.

use crate::credentials::Credentials;
use crate::session::{Event, Session};
use crate::tls::Tls;

pub fn credentials(tls: Tls) -> Credentials {
    Credentials {
        user: "u".into(),
        password: "p".into(),
        database: "d".into(),
        private_transport: false,
        by_odbc: false,
        tls,
        options: Default::default(),
    }
}

/// Feeds bytes that may be nonsense until the session refuses them or wants more: it must neither panic nor consume
/// more than it was given.
pub fn feed_all(session: &mut dyn Session, bytes: &[u8]) {
    let mut rest = bytes;
    while let Ok(fed) = session.feed(rest, &mut Vec::new()) {
        assert!(fed.consumed <= rest.len());
        rest = &rest[fed.consumed..];
        if fed.event.is_none() {
            break;
        }
    }
}

/// All that a session makes of the bytes of a log-in that arrive in two parts: its events and last failure, and what
/// it writes behind `out`.
pub fn reported(
    mut session: impl Session,
    mut out: Vec<u8>,
    bytes: &[u8],
    split: usize,
) -> (Vec<String>, Vec<u8>) {
    let (mut reported, mut held) = (Vec::new(), Vec::new());
    for part in [&bytes[..split], &bytes[split..]] {
        held.extend(part);
        loop {
            match session.feed(&held, &mut out) {
                Ok(fed) => {
                    assert!(fed.consumed <= held.len());
                    held.drain(..fed.consumed);
                    // PostgreSQL's `N` is used up without an event; there may be more behind it.
                    if let Some(event) = fed.event {
                        reported.push(format!("{event:?}"));
                        if matches!(event, Event::StartTls) {
                            session.secured(b"", &mut out).unwrap();
                        }
                    } else if fed.consumed == 0 {
                        break;
                    }
                }
                Err(failure) => {
                    reported.push(failure.to_string());
                    return (reported, out);
                }
            }
        }
    }
    (reported, out)
}
