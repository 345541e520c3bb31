//! The few kernel interfaces that the standard library lacks, each behind a safe function.

use socket2::TcpKeepalive;
use std::cell::Cell;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A silent peer is asked after ten seconds whether it is still there, then every five.
pub const KEEPALIVE: TcpKeepalive = TcpKeepalive::new()
    .with_time(Duration::from_secs(10))
    .with_interval(Duration::from_secs(5));

thread_local! {
    static CLOCK_CALLS: Cell<u64> = const { Cell::new(0) };
}

/// How often this thread has read the clock.
pub fn clock_calls() -> u64 {
    CLOCK_CALLS.get()
}

/// What one reading of the clock costs here, in nanoseconds: the mean of many in a row.
pub fn clock_cost_ns() -> f64 {
    const READINGS: u32 = 1000;
    let before = monotonic_ns();
    for _ in 0..READINGS {
        std::hint::black_box(monotonic_ns());
    }
    (monotonic_ns() - before) as f64 / f64::from(READINGS + 1)
}

/// Nanoseconds of CLOCK_MONOTONIC: the clock that all of fivenines' parts on one host share.
#[inline]
pub fn monotonic_ns() -> u64 {
    CLOCK_CALLS.set(CLOCK_CALLS.get() + 1);
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid timespec that outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The time of a clock of the kernel's, in nanoseconds; 0 where there is no such clock.
pub fn clock_ns(clock: i32) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid timespec that outlives the call.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// CLOCK_MONOTONIC to a few milliseconds, for a tenth of what it costs.
pub fn coarse_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC_COARSE)
}

/// Nanoseconds since 1970.
pub fn unix_ns() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos() as u64)
}

/// Ends this process without what libraries do at its end; what was printed is out.
pub fn end_at_once(code: u8) -> ! {
    let _ = std::io::Write::flush(&mut std::io::stdout());
    // SAFETY: nothing of this process is used afterwards.
    unsafe { libc::_exit(i32::from(code)) }
}

/// A timer descriptor that becomes readable once, at a moment of CLOCK_MONOTONIC.
///
/// With edge-triggered epoll it need not be read: setting it again forgets that it went off.
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

    pub fn set(&self, due_ns: u64) -> io::Result<()> {
        let spec = libc::itimerspec {
            it_interval: timespec(0),
            it_value: timespec(due_ns),
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

/// The kernel's struct sched_attr, as of its first version.
#[repr(C)]
struct SchedulerAttributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime_ns: u64,
    deadline_ns: u64,
    period_ns: u64,
}

/// Asks the scheduler for short turns, which begin sooner: for a thread that does little, but on time.
///
/// Every user may; Linux 6.12 and later heed it, older ones do not mind.
pub fn prefer_short_turns() {
    // SAFETY: no pointers are passed. The niceness is to stay as it is.
    let nice = unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) };
    let attributes = SchedulerAttributes {
        size: size_of::<SchedulerAttributes>() as u32,
        policy: libc::SCHED_OTHER as u32,
        flags: 0,
        nice,
        priority: 0,
        runtime_ns: 100_000,
        deadline_ns: 0,
        period_ns: 0,
    };
    // SAFETY: the attributes are valid for their size during the call; a refusal changes nothing.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
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

/// Standard output as it was, once it is kept for the lines of this program.
static OUTPUT: OnceLock<File> = OnceLock::new();

/// Keeps standard output for `write_line`: what anything else in this process writes there, or a process that it starts,
/// goes to standard error from now on.
pub fn keep_output() -> io::Result<()> {
    if OUTPUT.get().is_some() {
        return Ok(());
    }
    // SAFETY: these calls take numbers of descriptors and touch no memory.
    let kept = owned(unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_DUPFD_CLOEXEC, 3) })?;
    OUTPUT.get_or_init(|| File::from(kept));
    // SAFETY: as above.
    match unsafe { libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) } {
        fd if fd < 0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Writes a line to standard output, also where that is kept.
pub fn write_line(line: &dyn Display) -> io::Result<()> {
    let line = format!("{line}\n");
    match OUTPUT.get() {
        Some(mut output) => output.write_all(line.as_bytes()),
        None => {
            let mut output = io::stdout().lock();
            output.write_all(line.as_bytes())?;
            output.flush()
        }
    }
}

fn owned(fd: i32) -> io::Result<OwnedFd> {
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just gave us this descriptor and no other code owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn timespec(ns: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: (ns / 1_000_000_000) as i64,
        tv_nsec: (ns % 1_000_000_000) as i64,
    }
}

/// What this process has used so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    pub user_s: f64,
    pub system_s: f64,
    pub max_rss_kib: u64,
    /// Time spent ready to run while something else had the processor.
    pub run_queue_s: f64,
}

impl Usage {
    /// What was used since an earlier moment; the peak of memory is of the whole time.
    pub fn since(&self, before: &Usage) -> Usage {
        Usage {
            user_s: self.user_s - before.user_s,
            system_s: self.system_s - before.system_s,
            max_rss_kib: self.max_rss_kib,
            run_queue_s: self.run_queue_s - before.run_queue_s,
        }
    }
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

/// Memory of this process that is in use now.
pub fn rss_kib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Binding this socket to an address leaves its port open until it connects: then the kernel looks for one that is free
/// towards that server, and not for one that is completely unused (ip(7), IP_BIND_ADDRESS_NO_PORT; for IPv6 as well).
pub fn choose_port_when_connecting(socket: &impl AsRawFd) -> io::Result<()> {
    let yes: libc::c_int = 1;
    // SAFETY: the value is an int that lives for the call, and its size is given.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            (&raw const yes).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// How many local ports the kernel has for outgoing connections to one address.
pub fn local_ports() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
    let mut ends = text.split_whitespace().map(str::parse::<u64>);
    let (first, last) = (ends.next()?.ok()?, ends.next()?.ok()?);
    Some((last + 1).saturating_sub(first))
}

/// Lets the process open as many descriptors as it is allowed to, and says how many; the soft limit is often
/// 1024.
pub fn raise_descriptor_limit() -> u64 {
    // SAFETY: `limit` is valid for both calls; failure leaves the old limit in force.
    unsafe {
        let mut limit = std::mem::zeroed::<libc::rlimit>();
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        limit.rlim_cur
    }
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
    fn calls_of_the_clock_are_counted() {
        let before = clock_calls();
        monotonic_ns();
        monotonic_ns();
        assert_eq!(clock_calls() - before, 2);
        assert!(clock_cost_ns() > 0.0);
    }

    #[test]
    fn the_machine_tells_its_limits() {
        assert!(raise_descriptor_limit() > 10);
        assert!(local_ports().is_none_or(|ports| ports > 0));
        assert!(rss_kib().unwrap() > 100);
    }

    #[test]
    fn usage_is_plausible() {
        let usage = usage();
        assert!(usage.max_rss_kib > 100);
        assert!(usage.user_s >= 0.0);
    }

    #[test]
    fn short_turns_leave_the_niceness_as_it_is() {
        // SAFETY: no pointers are passed.
        let nice = || unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) };
        let before = nice();
        prefer_short_turns();
        assert_eq!(nice(), before);
    }
}
