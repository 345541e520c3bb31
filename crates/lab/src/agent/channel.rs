//! The protocol between an agent and its clients: a request as JSON, then frames with a kind and a length.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use socket2::{Domain, SockAddr, Socket, Type};

/// Where every virtual machine's agent listens, in the private network between a virtual machine and its host.
pub const AGENT: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(169, 254, 99, 2), 99);

/// The private network's mask, and our own end of it.
pub const MASK: Ipv4Addr = Ipv4Addr::new(255, 255, 255, 252);

const PATIENCE: Duration = Duration::from_secs(10);

/// More than that in one frame is no frame of ours.
const LARGEST: u32 = 1 << 24;

/// A connection between the two, by whatever way.
pub type Stream = Socket;

/// What an agent is asked for; one of these in each connection.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Run a command to its end
    Run(Command),
    /// Wait for a program of this name, and be its end out here
    Attach(String),
    /// Go on as a connection to a unix socket of the host
    Connect(PathBuf),
    /// Go on as a connection to a host and port
    ConnectTo(String),
    /// End all processes, and say how many there were
    KillAll,
    /// Let a user own folders of the host's own folder
    Own { folders: Vec<String>, uid: u32 },
    /// Do something with the disk that is the data folder
    Disk(DiskAction),
    /// Say how long the disk took to answer at most, in seconds
    DiskDelay,
    /// Set the clock of the day to these nanoseconds since 1970
    SetClock(u64),
    /// Say what the clocks are: of the day in nanoseconds since 1970, and CLOCK_MONOTONIC
    Clock,
    /// Take over what was written at the other end: configuration and secrets
    TakeOver(Vec<Entry>),
    /// Say what /proc tells of each process of the host: its number, and its files stat, statm and io
    Processes,
    /// Tell all that is added to logs from now on, in frames of a file's name, a zero, and what was added
    Follow,
    /// Register the command that undoes a fault if the client ends; an empty command removes it
    Undo {
        name: String,
        command: Vec<String>,
        input: String,
    },
}

/// What is done with the disk that is the data folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum DiskAction {
    Mount,
    Unmount,
    /// All that was written is on the disk, and nothing is written any more
    Freeze,
    Thaw,
}

/// A command, where and as whom it runs, and all of its environment.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Command {
    pub words: Vec<String>,
    pub uid: Option<u32>,
    pub environment: Vec<(String, String)>,
    #[serde(default)]
    pub place: Place,
}

/// Where a command runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In the host
    #[default]
    Inside,
    /// With the machine's own files, and ends with the host
    Outside,
    /// As root of the machine
    Machine,
}

/// A file that is taken over, or a folder where it has no text.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Below the host's own folder
    pub path: PathBuf,
    pub mode: u32,
    pub text: Option<Vec<u8>>,
}

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    Question = b'Q',
    Input = b'I',
    InputEnd = b'E',
    /// A signal's number, for the command alone
    Signal = b'S',
    /// A signal's number, for the command and all that it has started
    SignalAll = b'A',
    Output = b'O',
    Error = b'R',
    /// How it ended: its code, or the signal's number below zero
    Exit = b'X',
    /// The answer to a question that is no command
    Answer = b'Y',
}

impl Kind {
    fn of(byte: u8) -> io::Result<Kind> {
        [
            Kind::Question,
            Kind::Input,
            Kind::InputEnd,
            Kind::Signal,
            Kind::SignalAll,
            Kind::Output,
            Kind::Error,
            Kind::Exit,
            Kind::Answer,
        ]
        .into_iter()
        .find(|kind| *kind as u8 == byte)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a frame of no known kind"))
    }
}

pub fn send(to: &mut impl Write, kind: Kind, data: &[u8]) -> io::Result<()> {
    let mut frame = Vec::with_capacity(5 + data.len());
    frame.push(kind as u8);
    frame.extend((data.len() as u32).to_be_bytes());
    frame.extend(data);
    to.write_all(&frame)
}

pub fn receive(from: &mut impl Read) -> io::Result<(Kind, Vec<u8>)> {
    let mut head = [0; 5];
    from.read_exact(&mut head)?;
    let kind = Kind::of(head[0])?;
    let size = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
    if size > LARGEST {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a frame that is too long",
        ));
    }
    let mut data = vec![0; size as usize];
    from.read_exact(&mut data)?;
    Ok((kind, data))
}

/// A connection to an agent that has sent a request: to the virtual machine in this host's network, or
/// at a unix socket.
pub fn ask(at: Option<&Path>, question: &Question) -> Result<Stream> {
    let mut stream = connect(at).context("the host does not answer")?;
    send(
        &mut stream,
        Kind::Question,
        &serde_json::to_vec(question).context("cannot convert the request to JSON")?,
    )
    .context("the host does not accept requests")?;
    Ok(stream)
}

fn connect(at: Option<&Path>) -> io::Result<Stream> {
    if let Some(path) = at {
        let stream = Socket::new(Domain::UNIX, Type::STREAM, None)?;
        let folder = File::open(path.parent().unwrap_or(Path::new(".")))?;
        // the path of a unix socket must fit into 107 bytes (unix(7))
        let name = path.file_name().unwrap_or_default().display();
        let short = format!("/proc/self/fd/{}/{name}", folder.as_raw_fd());
        stream.connect(&SockAddr::unix(short)?)?;
        return Ok(stream);
    }
    let stream = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    stream.connect_timeout(&AGENT.into(), PATIENCE)?;
    stream.set_tcp_nodelay(true)?;
    Ok(stream)
}

pub fn exit_code(data: &[u8]) -> i32 {
    data.try_into().map_or(255, i32::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_sent_is_received(data in prop::collection::vec(any::<u8>(), 0..5000)) {
            let mut wire = Vec::new();
            send(&mut wire, Kind::Output, &data).unwrap();
            send(&mut wire, Kind::Exit, &(-9_i32).to_be_bytes()).unwrap();
            let mut wire = &wire[..];
            prop_assert_eq!(receive(&mut wire).unwrap(), (Kind::Output, data));
            let (kind, code) = receive(&mut wire).unwrap();
            prop_assert_eq!((kind, exit_code(&code)), (Kind::Exit, -9));
        }

        #[test]
        fn what_is_no_frame_is_an_error(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let known = bytes.first().is_some_and(|one| Kind::of(*one).is_ok());
            prop_assert!(known || receive(&mut &bytes[..]).is_err());
        }
    }

    #[test]
    fn questions_are_json() {
        let question = Question::Own {
            folders: vec!["data".into()],
            uid: 999,
        };
        let text = serde_json::to_string(&question).unwrap();
        assert_eq!(text, r#"{"own":{"folders":["data"],"uid":999}}"#);
        assert_eq!(serde_json::from_str::<Question>(&text).unwrap(), question);
    }
}
