//! `fivenines-core`: the part of fivenines that must be fast or close to the kernel.

use base::arguments::Usage;
use clap::{Parser, Subcommand};
use lab::{agent, disk, forward, health, init, remote, vm, wan};
use load::{by_odbc, generator, prepare, watch};
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
    Odbc(by_odbc::Args),
    Disk(disk::Args),
    Forward(forward::Args),
    /// Run commands on hosts with another kernel, and connect to them
    Agent(agent::AgentArgs),
    /// Run a host that is a virtual machine: its kernel and its first process
    Vm(vm::VmArgs),
    /// Create namespaces: run the first process of a lab or of a host in it
    Init(init::InitArgs),
    /// Run the parts of a host on another machine
    Remote(remote::RemoteArgs),
    /// Emulate links between sites: a switch that delays, limits and drops frames
    Wan(wan::Args),
}

/// A panic ends the whole program, whichever thread has it. Not by `panic = "abort"`: errors of Lua unwind through
/// the built-ins that raise them, which that forbids.
fn end_with_a_panic() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        tell(panic);
        std::process::abort();
    }));
}

fn main() -> ExitCode {
    end_with_a_panic();
    let result = match Cli::parse().command {
        Command::Load(args) => generator::main(&args),
        Command::Prepare(args) => prepare::main(&args),
        Command::Health(args) => health::main(&args),
        Command::Watch(args) => watch::main(&args),
        Command::Odbc(args) => by_odbc::main(&args),
        Command::Disk(args) => disk::main(&args),
        Command::Forward(args) => forward::main(&args),
        Command::Agent(args) => agent::main(args),
        Command::Vm(args) => vm::main(args),
        Command::Init(args) => init::run(args),
        Command::Remote(args) => remote::main(args),
        Command::Wan(args) => wan::main(&args),
    };
    let code = match result {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("fivenines-core: {error:#}");
            if error.is::<Usage>() { 2 } else { 1 }
        }
    };
    if odbc::running() > 0 {
        // A hanging driver must not delay the exit, nor be torn down while it works.
        base::sys::end_at_once(code);
    }
    ExitCode::from(code)
}
