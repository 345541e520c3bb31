//! `fivenines-core`: the part of fivenines that must be fast or close to the kernel.

use base::arguments::Usage;
use clap::{Parser, Subcommand};
use lab::{disk, forward, guest, health, init, wan};
use load::{generator, prepare, watch};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "fivenines-core", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Load(Box<generator::Args>),
    Prepare(Box<prepare::Args>),
    Health(health::Args),
    Watch(watch::Args),
    Disk(disk::Args),
    Forward(forward::Args),
    /// A host that is a virtual machine: its kernel, its first process, and ways into it
    Guest(guest::GuestArgs),
    /// Namespaces of the lab: the first process of a world, or of a host in it
    Init(init::InitArgs),
    /// Links between sites: a switch that delays, limits and loses frames
    Wan(wan::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Load(args) => generator::main(&args),
        Command::Prepare(args) => prepare::main(&args),
        Command::Health(args) => health::main(&args),
        Command::Watch(args) => watch::main(&args),
        Command::Disk(args) => disk::main(&args),
        Command::Forward(args) => forward::main(&args),
        Command::Guest(args) => guest::main(args),
        Command::Init(args) => init::run(args),
        Command::Wan(args) => wan::main(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fivenines-core: {error:#}");
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}
