//! What an agent does with a question, whatever kind of host it is on.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::channel::{Command, Kind, Question, Stream, receive, send};
use super::{attach, commands, follow, processes};

const PATIENCE: Duration = Duration::from_secs(10);

/// A host as its agent knows it.
pub trait Agent: Sync {
    /// What is started for a command, when all is ready for it.
    fn start(&self, command: Command) -> Result<commands::Start>;

    /// The folder of the host's logs, as the agent sees it.
    fn logs(&self) -> &Path;

    /// A unix socket of the host, as the agent sees it.
    fn socket(&self, named: &Path) -> std::path::PathBuf;

    /// The answer to a question that is no command.
    fn answer(&self, question: Question) -> Result<String>;
}

/// Reads one question from a connection and does what it asks for.
pub fn serve(agent: &impl Agent, mut stream: Stream) -> Result<()> {
    // A connection that only tests whether the agent listens sends no request.
    let Ok((Kind::Question, data)) = receive(&mut stream) else {
        return Ok(());
    };
    match serde_json::from_slice(&data).context("invalid request")? {
        Question::Run(command) => match agent.start(command) {
            Ok(start) => commands::run(start, stream).or(Ok(())),
            Err(error) => {
                commands::refuse(&stream, &format!("{error:#}"));
                Ok(())
            }
        },
        Question::Attach(program) => Ok(attach::run(&program, &stream)?),
        Question::Connect(socket) => match UnixStream::connect(agent.socket(&socket)) {
            Ok(peer) => join(peer.into(), &stream),
            Err(_) => Ok(()),
        },
        Question::ConnectTo(address) => match TcpStream::connect(address) {
            Ok(peer) => join(peer.into(), &stream),
            Err(_) => Ok(()),
        },
        Question::Follow => follow::tell(agent.logs(), &stream).or(Ok(())),
        Question::Clock => clock(agent, stream),
        Question::KillAll => reply(&stream, Ok(processes::kill_all(PATIENCE).to_string())),
        Question::Processes => reply(&stream, Ok(serde_json::to_string(&processes::reported())?)),
        other => reply(&stream, agent.answer(other)),
    }
}

/// Answers repeated requests, as clients repeat them to reduce the error.
fn clock(agent: &impl Agent, mut stream: Stream) -> Result<()> {
    loop {
        reply(&stream, agent.answer(Question::Clock))?;
        let Ok((Kind::Question, _)) = receive(&mut stream) else {
            return Ok(());
        };
    }
}

fn reply(stream: &Stream, done: Result<String>) -> Result<()> {
    match done {
        Ok(text) => Ok(send(&mut &*stream, Kind::Answer, text.as_bytes())?),
        Err(error) => Ok(send(
            &mut &*stream,
            Kind::Error,
            format!("{error:#}").as_bytes(),
        )?),
    }
}

/// Passes on all that comes from either end until both have ended.
fn join(peer: Stream, stream: &Stream) -> Result<()> {
    let (mut from, mut to) = (stream.try_clone()?, peer.try_clone()?);
    let there = thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
    let _ = io::copy(&mut &peer, &mut &*stream);
    let _ = stream.shutdown(Shutdown::Both);
    let _ = peer.shutdown(Shutdown::Both);
    let _ = there.join();
    Ok(())
}
