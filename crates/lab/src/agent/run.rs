//! `agent run`: represents a command on a host with an agent. It passes input and signals to the command and prints
//! the command's output; it exits with the command's status. If it is killed, the command is killed, too.
//!
//! Two signals cannot be caught. SIGRTMIN replaces SIGKILL: it kills the command with all its children, and then
//! this process. SIGTSTP replaces SIGSTOP: it stops all of them, and then this process.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use anyhow::Result;
use clap::Args;

use super::channel::{Command, Kind, Place, Question, Stream, ask, exit_code, receive, send};
use crate::init::end_by_number;

#[derive(Args)]
pub struct RunArgs {
    /// Socket of the agent. Default: the virtual machine in this network
    #[arg(long)]
    at: Option<PathBuf>,
    /// Place on the host where the command runs
    #[arg(long, value_enum, default_value = "inside")]
    place: Place,
    /// Prefix of environment variables to pass on, in addition to PATH
    #[arg(long)]
    environment: Option<String>,
    /// User id of the command. Default: root
    #[arg(long)]
    uid: Option<u32>,
    /// Program that a supervisor starts, instead of a command: wait for it, print its PID, and exit when it ends
    #[arg(long, conflicts_with_all = ["command", "uid"])]
    attach: Option<String>,
    /// The command and its arguments
    #[arg(last = true, required_unless_present = "attach")]
    command: Vec<String>,
}

const PASSED: &[i32] = &[
    libc::SIGTERM,
    libc::SIGINT,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGUSR1,
    libc::SIGUSR2,
];

const PLAIN: &[(&str, &str)] = &[
    (
        "PATH",
        "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    ),
    ("HOME", "/tmp"),
    ("LANG", "C.UTF-8"),
];

type Shared = Arc<Mutex<Stream>>;

pub fn run(args: &RunArgs) -> Result<()> {
    let mask = block();
    let mut stream = ask(args.at.as_deref(), &question(args))?;
    let questions: Shared = Arc::new(Mutex::new(stream.try_clone()?));
    let signals = Arc::clone(&questions);
    thread::spawn(move || pass_signals(&mask, &signals));
    thread::spawn(move || pass_input(&questions));
    let code = pass_output(&mut stream);
    if code < 0 {
        end_by_number(-code)?;
    }
    std::process::exit(code)
}

fn question(args: &RunArgs) -> Question {
    match &args.attach {
        Some(program) => Question::Attach(program.clone()),
        None => Question::Run(Command {
            words: args.command.clone(),
            uid: args.uid,
            environment: environment(args.environment.as_deref()),
            place: args.place,
        }),
    }
}

/// What the command has in its environment; of ours only what begins so, and what every program needs.
fn environment(start: Option<&str>) -> Vec<(String, String)> {
    let Some(start) = start else {
        return std::env::vars().collect();
    };
    let plain = PLAIN
        .iter()
        .map(|(name, value)| ((*name).into(), (*value).into()));
    plain
        .chain(std::env::vars().filter(|(name, _)| name.starts_with(start)))
        .collect()
}

/// None of these ends us any more: they are waited for.
fn block() -> libc::sigset_t {
    // SAFETY: the set is made empty before it is used, and outlives the calls.
    unsafe {
        let mut mask: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut mask);
        for number in PASSED
            .iter()
            .chain(&[libc::SIGTSTP, libc::SIGCONT, libc::SIGRTMIN()])
        {
            libc::sigaddset(&raw mut mask, *number);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const mask, std::ptr::null_mut());
        mask
    }
}

fn pass_signals(mask: &libc::sigset_t, to: &Shared) {
    loop {
        let mut number = 0;
        // SAFETY: both are valid, and outlive the call.
        if unsafe { libc::sigwait(mask, &raw mut number) } != 0 {
            continue;
        }
        let (kind, number) = match number {
            libc::SIGTSTP => (Kind::SignalAll, libc::SIGSTOP),
            libc::SIGCONT => (Kind::SignalAll, libc::SIGCONT),
            other if other == libc::SIGRTMIN() => (Kind::SignalAll, libc::SIGKILL),
            other => (Kind::Signal, other),
        };
        say(to, kind, &[number as u8]);
    }
}

fn pass_input(to: &Shared) {
    let mut buffer = [0; 32768];
    while let Ok(size @ 1..) = io::stdin().read(&mut buffer) {
        say(to, Kind::Input, &buffer[..size]);
    }
    say(to, Kind::InputEnd, &[]);
}

fn say(to: &Shared, kind: Kind, data: &[u8]) {
    // If the other end has ended, this is reported as the end of the command.
    let _ = send(
        &mut *to.lock().expect("no thread panics while it holds the lock"),
        kind,
        data,
    );
}

fn pass_output(from: &mut Stream) -> i32 {
    loop {
        let Ok((kind, data)) = receive(from) else {
            eprintln!("fivenines-core: the host has ended");
            return 255;
        };
        match kind {
            Kind::Output => write(&mut io::stdout(), &data),
            Kind::Error => write(&mut io::stderr(), &data),
            Kind::Answer if data == [libc::SIGSTOP as u8] => {
                // SAFETY: a plain number; we continue after SIGCONT.
                unsafe { libc::raise(libc::SIGSTOP) };
            }
            Kind::Exit => return exit_code(&data),
            _ => {}
        }
    }
}

fn write(to: &mut impl Write, data: &[u8]) {
    // A reader that has closed its end needs no more output.
    let _ = to.write_all(data).and_then(|()| to.flush());
}
