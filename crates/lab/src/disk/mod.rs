//! `disk`: delays flushes or refuses writes of a server, without privileges and with the server unchanged.
//!
//! The kernel notifies a child of the server's process before some system calls. Normally the child lets them
//! continue. On a slow disk it does so later; on a full disk it answers ENOSPC to calls that would extend a file.

mod control;
mod filter;
mod growth;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::CString;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::unistd::{ForkResult, execvp, fork};

use control::{Control, Mode};
use filter::Calls;

/// Run a command on a disk that can become slow or full while it runs.
#[derive(clap::Args)]
pub struct Args {
    /// File that controls the disk: 64 bytes, shared memory.
    #[arg(long, value_name = "FILE")]
    control: PathBuf,
    /// Calls to intercept; each of them takes some microseconds longer, even without a fault.
    #[arg(long, value_enum, value_delimiter = ',', required = true)]
    calls: Vec<Calls>,
    /// Folder of the files on the disk.
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// Command and its arguments.
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

pub fn main(args: &Args) -> Result<()> {
    let control = Control::open(&args.control)?;
    let command: Vec<CString> = args
        .command
        .iter()
        .map(|word| CString::new(word.as_bytes()))
        .collect::<Result<_, _>>()?;
    let listener = filter::install(&args.calls)?;
    // SAFETY: there is one thread
    match unsafe { fork() }.context("cannot fork")? {
        // The server stays in the started process, so that it gets signals and its end is visible.
        ForkResult::Parent { .. } => {
            execvp(&command[0], &command).with_context(|| args.command[0].clone())?;
            bail!("unreachable: exec returned")
        }
        ForkResult::Child => Supervisor::new(listener, control, args.folder.clone()).serve(),
    }
}

/// Answers the kernel's notifications. The filter also applies to it, so it must never write or sync.
struct Supervisor {
    listener: OwnedFd,
    control: Control,
    folder: PathBuf,
    waiting: BinaryHeap<Reverse<(Instant, u64)>>,
}

const RECEIVE: libc::c_ulong = 0xc050_2100;
const SEND: libc::c_ulong = 0xc018_2101;
const CONTINUE: u32 = 1;
/// How often a supervisor with delayed calls looks whether the disk is fast again.
const LOOK: Duration = Duration::from_millis(20);

impl Supervisor {
    fn new(listener: OwnedFd, control: Control, folder: PathBuf) -> Supervisor {
        // SAFETY: plain numbers; we end with the server
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) };
        Supervisor {
            listener,
            control,
            folder,
            waiting: BinaryHeap::new(),
        }
    }

    fn serve(mut self) -> ! {
        loop {
            if self.ready()
                && let Some(asked) = self.receive()
            {
                self.control.asked();
                self.decide(&asked);
            }
            self.release();
        }
    }

    /// Waits for a question, at most until the next delayed call is due.
    fn ready(&self) -> bool {
        let patience = match self.waiting.peek() {
            None => -1,
            Some(Reverse((due, _))) => {
                let left = due.saturating_duration_since(Instant::now()).min(LOOK);
                i32::try_from(left.as_micros().div_ceil(1000)).unwrap_or(i32::MAX)
            }
        };
        let mut watched = libc::pollfd {
            fd: self.listener.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: one valid entry
        unsafe { libc::poll(&raw mut watched, 1, patience) > 0 }
    }

    fn receive(&self) -> Option<libc::seccomp_notif> {
        // SAFETY: the kernel wants zeros, and fills the structure
        unsafe {
            let mut asked: libc::seccomp_notif = std::mem::zeroed();
            (libc::ioctl(self.listener.as_raw_fd(), RECEIVE, &raw mut asked) == 0).then_some(asked)
        }
    }

    fn decide(&mut self, asked: &libc::seccomp_notif) {
        let number = libc::c_long::from(asked.data.nr);
        match self.control.mode() {
            Mode::Slow(delay) if Calls::Sync.numbers().contains(&number) => {
                self.control.delayed();
                self.waiting
                    .push(Reverse((Instant::now() + delay, asked.id)));
            }
            Mode::Full if growth::grows(asked, &self.folder) => {
                self.control.refused();
                self.answer(asked.id, -libc::ENOSPC);
            }
            _ => self.answer(asked.id, 0),
        }
    }

    /// Lets delayed calls go on that are due, or all of them once the disk is fast again.
    fn release(&mut self) {
        let all = !self.waiting.is_empty() && !matches!(self.control.mode(), Mode::Slow(_));
        while let Some(Reverse((due, id))) = self.waiting.peek().copied() {
            if !all && due > Instant::now() {
                return;
            }
            self.waiting.pop();
            self.answer(id, 0);
        }
    }

    /// 0: the call goes on; else it fails with this error. A call that was interrupted needs no answer.
    fn answer(&self, id: u64, error: i32) {
        let answer = libc::seccomp_notif_resp {
            id,
            val: 0,
            error,
            flags: if error == 0 { CONTINUE } else { 0 },
        };
        // SAFETY: the structure outlives the call
        unsafe { libc::ioctl(self.listener.as_raw_fd(), SEND, &raw const answer) };
    }
}
