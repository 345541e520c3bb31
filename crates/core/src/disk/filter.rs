//! The filter that makes the kernel ask before some calls (seccomp(2), "user-space notification").

use std::os::fd::{FromRawFd, OwnedFd};

use anyhow::{Context, Result, bail};

/// Which calls are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Calls {
    /// fsync and fdatasync.
    Sync,
    /// Whatever can make a file longer.
    Write,
}

impl Calls {
    pub fn numbers(self) -> &'static [libc::c_long] {
        match self {
            Calls::Sync => &[libc::SYS_fsync, libc::SYS_fdatasync],
            Calls::Write => &[
                libc::SYS_write,
                libc::SYS_pwrite64,
                libc::SYS_pwritev,
                libc::SYS_pwritev2,
                libc::SYS_fallocate,
            ],
        }
    }
}

/// Lets all calls pass but these, about which the listener that it returns is asked. For this process and
/// all that it becomes or starts.
pub fn install(calls: &[Calls]) -> Result<OwnedFd> {
    let numbers: Vec<u32> = calls
        .iter()
        .flat_map(|one| one.numbers())
        .map(|number| *number as u32)
        .collect();
    let mut program = program(&numbers);
    let filter = libc::sock_fprog {
        len: program.len() as u16,
        filter: program.as_mut_ptr(),
    };
    // SAFETY: plain numbers
    if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
        bail!(
            "cannot give up privileges: {}",
            std::io::Error::last_os_error()
        );
    }
    // SAFETY: the program outlives the call, which copies it
    let listener = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const filter,
        )
    };
    if listener < 0 {
        return Err(std::io::Error::last_os_error())
            .context("the kernel does not let us watch the calls of a program");
    }
    // SAFETY: the kernel has just opened it for us
    Ok(unsafe { OwnedFd::from_raw_fd(listener as i32) })
}

/// Load the number of the call (the first field); if it is one of these, ask; else allow.
fn program(numbers: &[u32]) -> Vec<libc::sock_filter> {
    let statement = |code: u32, k: u32| libc::sock_filter {
        code: code as u16,
        jt: 0,
        jf: 0,
        k,
    };
    let mut found = vec![statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0)];
    for (index, number) in numbers.iter().enumerate() {
        found.push(libc::sock_filter {
            code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
            // over the other comparisons and the statement that allows
            jt: (numbers.len() - index) as u8,
            jf: 0,
            k: *number,
        });
    }
    found.push(statement(
        libc::BPF_RET | libc::BPF_K,
        libc::SECCOMP_RET_ALLOW,
    ));
    found.push(statement(
        libc::BPF_RET | libc::BPF_K,
        libc::SECCOMP_RET_USER_NOTIF,
    ));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the filter answers for a call, executed by hand.
    fn answer(program: &[libc::sock_filter], number: u32) -> u32 {
        let mut at = 1;
        loop {
            let one = &program[at];
            if u32::from(one.code) == libc::BPF_RET | libc::BPF_K {
                return one.k;
            }
            at += 1 + usize::from(if one.k == number { one.jt } else { one.jf });
        }
    }

    #[test]
    fn asks_about_the_calls_and_allows_all_others() {
        let numbers = [1, 18, 74];
        let program = program(&numbers);
        for number in 0..400 {
            let expected = if numbers.contains(&number) {
                libc::SECCOMP_RET_USER_NOTIF
            } else {
                libc::SECCOMP_RET_ALLOW
            };
            assert_eq!(answer(&program, number), expected, "{number}");
        }
    }
}
