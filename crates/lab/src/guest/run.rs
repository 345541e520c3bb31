//! `guest run`: the end out here of a command in a guest. Its input and its signals go in, what the command
//! says comes out, and it ends as the command ends. When it is killed, the command is, too.
//!
//! Two signals cannot be passed on. Instead of SIGKILL, SIGRTMIN ends the command with all that it has
//! started, and us after it; instead of SIGSTOP, SIGTSTP stops them all, and us after them.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::thread;

use anyhow::Result;
use clap::Args;

use super::channel::{Command, Kind, Question, ask, exit_code, receive, send};
use crate::init::end_by_number;

#[derive(Args)]
pub struct RunArgs {
    /// The user that it runs as; without it root
    #[arg(long)]
    uid: Option<u32>,
    /// Instead of a command, a program that others start: it is waited for, its PID printed, its end our end
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

type Shared = Arc<Mutex<TcpStream>>;

pub fn run(args: &RunArgs) -> Result<()> {
    let mask = block();
    let mut stream = ask(&question(args))?;
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
            environment: std::env::vars().collect(),
        }),
    }
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
    // the other end may have ended: that is told as the command's end
    let _ = send(&mut *to.lock().expect("nobody panics with it"), kind, data);
}

fn pass_output(from: &mut TcpStream) -> i32 {
    loop {
        let Ok((kind, data)) = receive(from) else {
            eprintln!("fivenines-core: the guest has ended");
            return 255;
        };
        match kind {
            Kind::Output => write(&mut io::stdout(), &data),
            Kind::Error => write(&mut io::stderr(), &data),
            Kind::Answer if data == [libc::SIGSTOP as u8] => {
                // SAFETY: a plain number; we go on when we are told to.
                unsafe { libc::raise(libc::SIGSTOP) };
            }
            Kind::Exit => return exit_code(&data),
            _ => {}
        }
    }
}

fn write(to: &mut impl Write, data: &[u8]) {
    // whoever has stopped to read does not want more
    let _ = to.write_all(data).and_then(|()| to.flush());
}
