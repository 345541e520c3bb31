//! Measures the response time of the virtual machine's disk, to distinguish a hanging disk from a slow server.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Mutex;
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use super::paths::DISK;

const PERIOD: Duration = Duration::from_millis(500);
const BLOCK: usize = 4096;

struct Seen {
    longest: Duration,
    /// When the read began that is under way
    since: Option<Instant>,
}

static SEEN: Mutex<Seen> = Mutex::new(Seen {
    longest: Duration::ZERO,
    since: None,
});

/// A block, as the kernel wants it for reads past its cache.
#[repr(align(4096))]
struct Block([u8; BLOCK]);

/// Reads a block of the disk twice a second from now on.
pub fn begin() {
    spawn(|| {
        let mut block = Block([0; BLOCK]);
        loop {
            let began = Instant::now();
            note(|seen| seen.since = Some(began));
            // A read error is reported by the code that needs the file.
            let _ = read(&mut block);
            note(|seen| {
                seen.longest = seen.longest.max(began.elapsed());
                seen.since = None;
            });
            sleep(PERIOD);
        }
    });
}

/// The longest time that a read took since the virtual machine's start, also if it is still under way.
pub fn longest() -> Duration {
    let mut found = Duration::ZERO;
    note(|seen| {
        let now = seen.since.map_or(Duration::ZERO, |since| since.elapsed());
        found = seen.longest.max(now);
    });
    found
}

fn note(change: impl FnOnce(&mut Seen)) {
    change(
        &mut SEEN
            .lock()
            .expect("no thread panics while it holds the lock"),
    );
}

fn read(block: &mut Block) -> io::Result<()> {
    let disk = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_DIRECT)
        .open(DISK)?;
    // SAFETY: the block is valid for its length, and aligned.
    let size = unsafe { libc::pread(disk.as_raw_fd(), block.0.as_mut_ptr().cast(), BLOCK, 0) };
    if size < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
