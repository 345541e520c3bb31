//! `agent ask`: sends a request to an agent that is not a command, and prints the answer.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};

use super::channel::{DiskAction, Kind, Question, ask, receive};
use super::files;

#[derive(Args)]
pub struct AskArgs {
    /// Socket of the agent. Default: the virtual machine in this network
    #[arg(long)]
    at: Option<PathBuf>,
    #[command(subcommand)]
    question: Asked,
}

#[derive(Subcommand)]
enum Asked {
    /// Kill all processes and print their number
    KillAll,
    /// Make a user the owner of folders in the host's folder
    Own {
        #[arg(long)]
        uid: u32,
        #[arg(long, value_delimiter = ',')]
        folders: Vec<String>,
    },
    /// Mount, unmount, freeze or thaw the disk of the data folder
    Disk { what: DiskAction },
    /// Print the longest response time of the disk, in seconds
    DiskDelay,
    /// Set the virtual machine's wall clock to ours
    SetClock,
    /// Print the wall clock (nanoseconds since 1970) and CLOCK_MONOTONIC
    Clock,
    /// Send a host's local folder to it, except for data, logs and sockets
    TakeOver { folder: PathBuf },
}

pub fn run(args: AskArgs) -> Result<()> {
    let question = match args.question {
        Asked::KillAll => Question::KillAll,
        Asked::Own { uid, folders } => Question::Own { folders, uid },
        Asked::Disk { what } => Question::Disk(what),
        Asked::DiskDelay => Question::DiskDelay,
        Asked::SetClock => Question::SetClock(base::sys::unix_ns()),
        Asked::Clock => Question::Clock,
        Asked::TakeOver { folder } => Question::TakeOver(files::pack(&folder)?),
    };
    let mut stream = ask(args.at.as_deref(), &question)?;
    let (kind, data) = receive(&mut stream)?;
    let text = String::from_utf8_lossy(&data);
    anyhow::ensure!(kind == Kind::Answer, "{text}");
    println!("{text}");
    Ok(())
}
