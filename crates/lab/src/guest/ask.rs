//! `guest ask`: a question to a guest that is no command; prints the answer.

use anyhow::Result;
use clap::{Args, Subcommand};

use super::channel::{Kind, Question, ask, receive};
use super::disk::What;

#[derive(Args)]
pub struct AskArgs {
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
    /// Set the guest's clock of the day to ours
    SetClock,
    /// The clock of the day, in nanoseconds since 1970
    Clock,
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
    };
    let mut stream = ask(&question)?;
    let (kind, data) = receive(&mut stream)?;
    let text = String::from_utf8_lossy(&data);
    anyhow::ensure!(kind == Kind::Answer, "{text}");
    println!("{text}");
    Ok(())
}
