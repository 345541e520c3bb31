//! The few kernel interfaces that the standard library lacks, each behind a safe function.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::{SystemTime, UNIX_EPOCH};

/// Nanoseconds of CLOCK_MONOTONIC: the clock that all of fivenines' parts on one host share.
pub fn monotonic_ns() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid timespec that outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Nanoseconds since 1970.
pub fn unix_ns() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos() as u64)
}

/// A timer descriptor that becomes readable at `first_ns` (CLOCK_MONOTONIC) and every `interval_ns` after it.
///
/// An absolute timer does not drift. It must be acknowledged, or it fires only once.
pub struct Timer(OwnedFd);

impl Timer {
    pub fn new() -> io::Result<Timer> {
        // SAFETY: no pointers are passed; the descriptor is checked before it is owned.
        let fd = unsafe {
            libc::timerfd_create(
                libc::CLOCK_MONOTONIC,
                libc::TFD_NONBLOCK | libc::TFD_CLOEXEC,
            )
        };
        owned(fd).map(Timer)
    }

    /// Takes note of the expirations so far; the kernel then arms the next one.
    pub fn acknowledge(&self) {
        let mut count = [0u8; 8];
        // SAFETY: the buffer is as long as said. A spurious call fails with EAGAIN, which is fine.
        unsafe { libc::read(self.0.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) };
    }

    pub fn set(&self, first_ns: u64, interval_ns: u64) -> io::Result<()> {
        let spec = libc::itimerspec {
            it_interval: timespec(interval_ns),
            it_value: timespec(first_ns),
        };
        // SAFETY: `spec` is valid for the call and the old value is not asked for.
        let result = unsafe {
            libc::timerfd_settime(
                self.0.as_raw_fd(),
                libc::TFD_TIMER_ABSTIME,
                &spec,
                std::ptr::null_mut(),
            )
        };
        if result < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }
}

impl AsRawFd for Timer {
    fn as_raw_fd(&self) -> i32 {
        self.0.as_raw_fd()
    }
}

/// Becomes readable when SIGTERM or SIGINT arrives, which from now on do not end the process.
pub fn termination_signals() -> io::Result<OwnedFd> {
    // SAFETY: the set lives on the stack and is initialised by sigemptyset before use.
    let fd = unsafe {
        let mut set = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGTERM);
        libc::sigaddset(&mut set, libc::SIGINT);
        libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
        libc::signalfd(-1, &set, libc::SFD_NONBLOCK | libc::SFD_CLOEXEC)
    };
    owned(fd)
}

fn owned(fd: i32) -> io::Result<OwnedFd> {
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just gave us this descriptor and nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn timespec(ns: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: (ns / 1_000_000_000) as i64,
        tv_nsec: (ns % 1_000_000_000) as i64,
    }
}

/// What this process has used so far.
#[derive(Clone, Copy, Default)]
pub struct Usage {
    pub user_s: f64,
    pub system_s: f64,
    pub max_rss_kib: u64,
    /// Time spent ready to run while something else had the processor.
    pub run_queue_s: f64,
}

pub fn usage() -> Usage {
    // SAFETY: rusage is plain data for which all zeroes is valid, and getrusage fills it.
    let raw = unsafe {
        let mut raw = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_SELF, &mut raw);
        raw
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    Usage {
        user_s: seconds(raw.ru_utime),
        system_s: seconds(raw.ru_stime),
        max_rss_kib: max_rss_kib().unwrap_or(raw.ru_maxrss as u64),
        run_queue_s: run_queue_s().unwrap_or(0.0),
    }
}

/// The peak of this program alone: getrusage also remembers what the process was before exec.
fn max_rss_kib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn run_queue_s() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let waited: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(waited as f64 / 1e9)
}

/// Lets the process open as many descriptors as it is allowed to; the soft limit is often 1024.
pub fn raise_descriptor_limit() {
    // SAFETY: `limit` is valid for both calls; failure leaves the old limit in force.
    unsafe {
        let mut limit = std::mem::zeroed::<libc::rlimit>();
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
    }
}

/// Bytes nobody can guess, for authentication nonces.
pub fn random_bytes<const N: usize>() -> [u8; N] {
    use std::io::Read;
    let mut bytes = [0; N];
    if let Ok(mut source) = File::open("/dev/urandom") {
        // A short read leaves zeroes: the nonce is then weak, but the server's half still counts.
        let _ = source.read_exact(&mut bytes);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_moves_forward() {
        let before = monotonic_ns();
        assert!(monotonic_ns() >= before);
        assert!(unix_ns() > 1_600_000_000_000_000_000);
    }

    #[test]
    fn usage_is_plausible() {
        let usage = usage();
        assert!(usage.max_rss_kib > 100);
        assert!(usage.user_s >= 0.0);
    }

    #[test]
    fn random_bytes_differ() {
        assert_ne!(random_bytes::<16>(), random_bytes::<16>());
    }
}
