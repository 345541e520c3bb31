//! Starting the first process of a lab or host: it is ready when it says so on its lifeline, and ends when we
//! let go of that.

use std::io::IoSliceMut;
use std::mem::zeroed;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

const PATIENCE: Duration = Duration::from_secs(20);

/// The first process as seen from here, and our end of its lifeline.
pub struct First {
    pub pid: i32,
    _lifeline: UnixStream,
}

/// Starts a command with a separate `--lifeline`.
pub fn start(words: &[String]) -> Result<First> {
    let (ours, theirs) = UnixStream::pair().context("cannot make a lifeline")?;
    pass_credentials(&ours)?;
    ours.set_read_timeout(Some(PATIENCE))?;
    let descriptor = theirs.as_raw_fd();
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .arg(format!("--lifeline={descriptor}"));
    // SAFETY: one call of the kernel between fork and exec, with a plain number.
    unsafe {
        command.pre_exec(move || match libc::fcntl(descriptor, libc::F_SETFD, 0) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    crate::agent::reaper::spawn(&mut command).context("cannot start it")?;
    drop(theirs);
    let pid = await_ready(&ours).context("it did not start")?;
    Ok(First {
        pid,
        _lifeline: ours,
    })
}

fn pass_credentials(socket: &UnixStream) -> Result<()> {
    socket2::SockRef::from(socket)
        .set_passcred(true)
        .context("cannot ask for credentials")
}

/// Waits for one byte; the kernel adds the PID of who wrote it, as we see it (unix(7)).
fn await_ready(socket: &UnixStream) -> Result<i32> {
    let mut byte = [0];
    let mut data = [IoSliceMut::new(&mut byte)];
    let mut control = [0_u64; 8];
    // SAFETY: a header of zeros is a valid one; what it points to outlives the call, with its true lengths.
    let (size, pid) = unsafe {
        let mut header: libc::msghdr = zeroed();
        header.msg_iov = data.as_mut_ptr().cast();
        header.msg_iovlen = 1;
        header.msg_control = control.as_mut_ptr().cast();
        header.msg_controllen = size_of_val(&control);
        let size = libc::recvmsg(socket.as_raw_fd(), &raw mut header, libc::MSG_CMSG_CLOEXEC);
        let first = libc::CMSG_FIRSTHDR(&raw const header);
        let has_pid = !first.is_null() && (*first).cmsg_type == libc::SCM_CREDENTIALS;
        let pid = has_pid.then(|| {
            libc::CMSG_DATA(first)
                .cast::<libc::ucred>()
                .read_unaligned()
                .pid
        });
        (size, pid)
    };
    anyhow::ensure!(size == 1, "it has ended, for the reason above");
    pid.context("the kernel did not pass the process id")
}
