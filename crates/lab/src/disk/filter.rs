//! The filter that makes the kernel ask before some calls (seccomp(2), "user-space notification").

use std::os::fd::{FromRawFd, OwnedFd};

use anyhow::Result;

use crate::seccomp::Filter;

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
    let listener = asking(&numbers).install(libc::SECCOMP_FILTER_FLAG_NEW_LISTENER)?;
    // SAFETY: the kernel has just opened it for us
    Ok(unsafe { OwnedFd::from_raw_fd(listener as i32) })
}

/// If the number of the call is one of these, ask; else allow.
fn asking(numbers: &[u32]) -> Filter {
    let mut filter = Filter::default();
    filter.load_number();
    for (index, number) in numbers.iter().enumerate() {
        // over the other comparisons and the statement that allows
        filter.jump_equal(*number, numbers.len() - index, 0);
    }
    filter.answer(libc::SECCOMP_RET_ALLOW);
    filter.answer(libc::SECCOMP_RET_USER_NOTIF);
    filter
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seccomp::tests::answer;

    #[test]
    fn asks_about_the_calls_and_allows_all_others() {
        let numbers = [1, 18, 74];
        let filter = asking(&numbers);
        for number in 0..400 {
            let expected = if numbers.contains(&number) {
                libc::SECCOMP_RET_USER_NOTIF
            } else {
                libc::SECCOMP_RET_ALLOW
            };
            assert_eq!(answer(&filter, 0, number, [0; 6]), expected, "{number}");
        }
    }
}
