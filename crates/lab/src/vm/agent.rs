//! `vm agent`: the first process of a virtual machine, which does what it is asked for over the private network.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::boot::{self, AgentArgs};
use super::paths::NODE;
use super::{disk, disk_watch, exchange};
use crate::agent::channel::{AGENT, Command, Question};
use crate::agent::commands::Start;
use crate::agent::serve::{Agent, serve};
use crate::agent::{give, give_all, reaper};

pub fn run(args: &AgentArgs) -> Result<()> {
    if let Err(error) = begin(args) {
        eprintln!("the virtual machine cannot start: {error:#}");
        // The kernel writes the output of process 1 before it ends with it.
        thread::sleep(Duration::from_millis(100));
        return Err(error);
    }
    Ok(())
}

fn begin(args: &AgentArgs) -> Result<()> {
    boot::run(args)?;
    reaper::begin();
    exchange::begin();
    disk_watch::begin();
    let listener = TcpListener::bind(AGENT).context("cannot listen")?;
    for stream in listener.incoming().flatten() {
        thread::spawn(move || {
            let done = stream
                .set_nodelay(true)
                .map_err(Into::into)
                .and_then(|()| serve(&Vm, stream.into()));
            if let Err(error) = done {
                eprintln!("a request failed: {error:#}");
            }
        });
    }
    Ok(())
}

struct Vm;

impl Agent for Vm {
    fn start(&self, command: Command) -> Result<Start> {
        exchange::bring_in()?;
        if let Some(uid) = command.uid {
            give_all(Path::new(NODE), uid)?;
        }
        Ok(Start {
            words: command.words,
            uid: command.uid,
            environment: command.environment,
            through: false,
        })
    }

    fn logs(&self) -> &Path {
        Path::new("/run/node/log")
    }

    fn socket(&self, named: &Path) -> PathBuf {
        named.to_path_buf()
    }

    fn answer(&self, question: Question) -> Result<String> {
        let done = |()| String::new();
        match question {
            Question::Own { folders, uid } => own(&folders, uid).map(done),
            Question::Disk(action) => disk::run(action).map(done),
            Question::DiskDelay => Ok(disk_watch::longest().as_secs_f64().to_string()),
            Question::SetClock(nanoseconds) => set_clock(nanoseconds).map(done),
            Question::Clock => Ok(base::sys::unix_ns().to_string()),
            other => anyhow::bail!("a virtual machine does not support the request {other:?}"),
        }
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
        give(&folder, uid)?;
    }
    exchange::bring_in()
}
