//! `guest agent`: the first process of a guest, which does what it is asked for over the private network.

use std::fs;
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::boot::{self, AgentArgs, NODE};
use super::channel::{AGENT, Kind, Question, receive, send};
use super::{attach, commands, disk, disk_watch, exchange, processes, reaper};

const PATIENCE: Duration = Duration::from_secs(10);

pub fn run(args: &AgentArgs) -> Result<()> {
    if let Err(error) = serve(args) {
        eprintln!("the guest does not start: {error:#}");
        // the kernel writes what process 1 has said before it ends with it
        thread::sleep(Duration::from_millis(100));
        return Err(error);
    }
    Ok(())
}

fn serve(args: &AgentArgs) -> Result<()> {
    boot::run(args)?;
    reaper::begin();
    exchange::begin();
    disk_watch::begin();
    let listener = TcpListener::bind(AGENT).context("cannot listen")?;
    for stream in listener.incoming().flatten() {
        thread::spawn(move || {
            if let Err(error) = answer(stream) {
                eprintln!("a question was not answered: {error:#}");
            }
        });
    }
    Ok(())
}

fn answer(mut stream: TcpStream) -> Result<()> {
    stream.set_nodelay(true)?;
    // a look whether somebody listens here asks nothing
    let Ok((Kind::Question, data)) = receive(&mut stream) else {
        return Ok(());
    };
    match serde_json::from_slice(&data).context("no question")? {
        Question::Run(command) => {
            exchange::bring_in()?;
            if let Some(uid) = command.uid {
                exchange::give_all(uid)?;
            }
            commands::run(&command, stream).or(Ok(()))
        }
        Question::Attach(program) => Ok(attach::run(&program, &stream)?),
        Question::Connect(socket) => connect(&socket, &stream),
        Question::KillAll => reply(stream, &processes::kill_all(PATIENCE).to_string()),
        Question::Own { folders, uid } => reply_done(stream, own(&folders, uid)),
        Question::Disk(what) => reply_done(stream, disk::run(what)),
        Question::Load(module) => reply_done(stream, boot::load_later(&module)),
        Question::DiskDelay => reply(stream, &disk_watch::longest().as_secs_f64().to_string()),
        Question::SetClock(nanoseconds) => reply_done(stream, set_clock(nanoseconds)),
        Question::Clock => reply(stream, &base::sys::unix_ns().to_string()),
    }
}

fn reply(mut stream: TcpStream, text: &str) -> Result<()> {
    Ok(send(&mut stream, Kind::Answer, text.as_bytes())?)
}

fn reply_done(mut stream: TcpStream, done: Result<()>) -> Result<()> {
    match done {
        Ok(()) => reply(stream, ""),
        Err(error) => Ok(send(
            &mut stream,
            Kind::Error,
            format!("{error:#}").as_bytes(),
        )?),
    }
}

fn set_clock(nanoseconds: u64) -> Result<()> {
    let time = nix::sys::time::TimeSpec::new(
        (nanoseconds / 1_000_000_000) as i64,
        (nanoseconds % 1_000_000_000) as i64,
    );
    nix::time::clock_settime(nix::time::ClockId::CLOCK_REALTIME, time)
        .context("cannot set the clock")
}

fn own(folders: &[String], uid: u32) -> Result<()> {
    for name in folders {
        let folder = Path::new(NODE).join(name);
        fs::create_dir_all(&folder)?;
        exchange::give(&folder, uid)?;
    }
    exchange::bring_in()
}

/// Goes on as a connection to a unix socket; if nobody is there, it is closed.
fn connect(socket: &Path, stream: &TcpStream) -> Result<()> {
    let Ok(peer) = UnixStream::connect(socket) else {
        return Ok(());
    };
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
