//! `agent ask`: a question to an agent that is no command; prints the answer.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};

use super::channel::{Kind, Question, ask, receive};
use super::files;
use crate::vm::What;

#[derive(Args)]
pub struct AskArgs {
    /// Where the agent listens, if it is not the virtual machine of this network
    #[arg(long)]
    at: Option<PathBuf>,
    #[command(subcommand)]
    question: Asked,
}

#[derive(Subcommand)]
enum Asked {
    /// End all processes; how many there were
    KillAll,
    /// Let a user own folders of the host's own
    Own {
        #[arg(long)]
        uid: u32,
        #[arg(long, value_delimiter = ',')]
        folders: Vec<String>,
    },
    /// Do something with the disk that is the data folder
    Disk { what: What },
    /// Load a module of the kernel, and what it needs
    Load {
        #[arg(long)]
        module: String,
    },
    /// The longest time that the disk took to answer, in seconds
    DiskDelay,
    /// Set the virtual machine's clock of the day to ours
    SetClock,
    /// The clock of the day in nanoseconds since 1970, and CLOCK_MONOTONIC
    Clock,
    /// Take over all but data, logs and sockets of a folder that is the host's own at this end
    TakeOver { folder: PathBuf },
}

pub fn run(args: AskArgs) -> Result<()> {
    let question = match args.question {
        Asked::KillAll => Question::KillAll,
        Asked::Own { uid, folders } => Question::Own { folders, uid },
        Asked::Disk { what } => Question::Disk(what),
        Asked::Load { module } => Question::Load(module),
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
