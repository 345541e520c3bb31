//! What a first process does all day: collect ended orphans, and end when the lifeline hangs up.

use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, FromRawFd};
use std::os::unix::net::UnixStream;

use anyhow::{Context, Result};
use clap::Args;
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};

#[derive(Args)]
pub struct Lifeline {
    /// File descriptor of the lifeline socket
    #[arg(long)]
    lifeline: i32,
}

impl Lifeline {
    /// Takes over the descriptor that the controller left open for us.
    pub fn controller(&self) -> Result<Controller> {
        // SAFETY: the controller opened it for us alone; nothing else in this program knows it
        let stream = unsafe { UnixStream::from_raw_fd(self.lifeline) };
        fcntl(&stream, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))
            .context("--lifeline is not an open descriptor")?;
        Ok(Controller { stream })
    }
}

/// The socket to the controller.
pub struct Controller {
    stream: UnixStream,
}

impl Controller {
    /// One byte; with SO_PASSCRED at the other end the kernel adds our PID as the reader sees it.
    pub fn report_ready(&mut self) -> Result<()> {
        self.stream
            .write_all(b"R")
            .context("the controller has ended")
    }
}

/// Reaps children until the controller is gone.
pub fn watch(controller: &Controller) -> Result<()> {
    let mut mask = SigSet::empty();
    mask.add(Signal::SIGCHLD);
    mask.thread_block()?;
    let signals = SignalFd::with_flags(&mask, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
    loop {
        reap();
        let mut watched = [
            PollFd::new(signals.as_fd(), PollFlags::POLLIN),
            // it never writes: anything to read is the end of the stream
            PollFd::new(controller.stream.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut watched, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        if watched[1]
            .revents()
            .is_some_and(|events| !events.is_empty())
        {
            return Ok(());
        }
        drain(&signals);
    }
}

fn drain(signals: &SignalFd) {
    let mut scratch = [0u8; 1024];
    // SAFETY: the descriptor is open and the buffer is ours; a non-blocking read has no other effect
    while unsafe {
        libc::read(
            signals.as_raw_fd(),
            scratch.as_mut_ptr().cast(),
            scratch.len(),
        )
    } > 0
    {}
}

fn reap() {
    while let Ok(status) = waitpid(None, Some(WaitPidFlag::WNOHANG)) {
        if status == WaitStatus::StillAlive {
            return;
        }
    }
}
