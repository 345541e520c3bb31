//! Queries the machine's resolver for addresses, in a separate thread: a name server that does not answer
//! would otherwise stop the event loop for seconds.

use super::role::Role;
use mio::{Registry, Token, Waker};
use sql_wire::endpoint::Endpoint;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

struct Question {
    role: Role,
    target: usize,
    endpoint: Endpoint,
}

/// The addresses of a role's target, or why there are none.
pub struct Answer {
    pub role: Role,
    pub target: usize,
    pub addresses: Result<Vec<SocketAddr>, String>,
}

pub struct Resolver {
    waker: Arc<Waker>,
    /// None until there is a name to resolve; most runs know addresses only.
    thread: Option<(Sender<Question>, Receiver<Answer>)>,
}

impl Resolver {
    /// The event loop hears of answers as an event of this token. Only one waker is allowed per loop.
    pub fn new(registry: &Registry, token: Token) -> io::Result<Resolver> {
        Ok(Resolver {
            waker: Arc::new(Waker::new(registry, token)?),
            thread: None,
        })
    }

    pub fn ask(&mut self, role: Role, target: usize, endpoint: &Endpoint) -> io::Result<()> {
        let (questions, _) = match &mut self.thread {
            Some(thread) => thread,
            none => none.insert(start(self.waker.clone())?),
        };
        let question = Question {
            role,
            target,
            endpoint: endpoint.clone(),
        };
        questions.send(question).map_err(io::Error::other)
    }

    pub fn answers(&self) -> impl Iterator<Item = Answer> {
        self.thread
            .iter()
            .flat_map(|(_, answers)| answers.try_iter())
    }
}

/// The thread ends when its channel is closed. It is not joined, as it can hang in the resolver.
fn start(waker: Arc<Waker>) -> io::Result<(Sender<Question>, Receiver<Answer>)> {
    let (ask, questions) = channel::<Question>();
    let (give, answers) = channel();
    let serve = move || {
        for question in questions {
            let answer = Answer {
                role: question.role,
                target: question.target,
                addresses: question.endpoint.resolve(),
            };
            if give.send(answer).is_err() || waker.wake().is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .name("resolver".to_string())
        .spawn(serve)?;
    Ok((ask, answers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mio::{Events, Poll};
    use std::time::Duration;

    #[test]
    fn wakes_the_loop_with_an_answer() {
        let mut poll = Poll::new().unwrap();
        let mut resolver = Resolver::new(poll.registry(), Token(7)).unwrap();
        assert_eq!(resolver.answers().count(), 0);
        let endpoint = "localhost:5432".parse().unwrap();
        resolver.ask(Role::Read, 3, &endpoint).unwrap();
        let mut events = Events::with_capacity(4);
        poll.poll(&mut events, Some(Duration::from_secs(20)))
            .unwrap();
        assert!(events.iter().any(|event| event.token() == Token(7)));
        let answer = resolver.answers().next().unwrap();
        assert_eq!((answer.role, answer.target), (Role::Read, 3));
        let addresses = answer.addresses.unwrap();
        assert!(
            addresses
                .iter()
                .all(|address| address.ip().is_loopback() && address.port() == 5432)
        );
    }
}
