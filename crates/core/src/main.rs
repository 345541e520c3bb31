//! `fivenines-core`: the part of fivenines that must be fast or close to the kernel.

mod args;
mod disk;
mod driver;
mod endpoint;
mod health;
mod init;
mod ledger;
mod load;
mod prepare;
mod probes;
mod record;
mod rng;
mod schedule;
mod seccomp;
mod sys;
mod wan;
mod watch;
mod workload;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "fivenines-core", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Load(Box<load::Args>),
    Prepare(Box<prepare::Args>),
    Health(health::Args),
    Watch(watch::Args),
    Disk(disk::Args),
    /// Namespaces of the lab: the first process of a world, or of a host in it
    Init(init::InitArgs),
    /// Links between sites: a switch that delays, limits and loses frames
    Wan(wan::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Load(args) => load::main(&args),
        Command::Prepare(args) => prepare::main(&args),
        Command::Health(args) => health::main(&args),
        Command::Watch(args) => watch::main(&args),
        Command::Disk(args) => disk::main(&args),
        Command::Init(args) => init::run(args),
        Command::Wan(args) => wan::main(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fivenines-core: {error:#}");
            ExitCode::from(if error.is::<args::Usage>() { 2 } else { 1 })
        }
    }
}
