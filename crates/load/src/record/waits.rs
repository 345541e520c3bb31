//! How long this program was ready to run while something else had the processor.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// The kernel is asked at most so often: asking costs about as much as a query.
const LOOK_NS: u64 = 500_000;

/// The kernel's own sum, at most half a millisecond old. Without schedstat it stays at 0.
pub struct Waits {
    file: Option<File>,
    looked_ns: u64,
    waited_ns: u64,
}

impl Waits {
    pub fn open() -> Waits {
        Waits {
            file: File::open("/proc/thread-self/schedstat").ok(),
            looked_ns: 0,
            waited_ns: 0,
        }
    }

    /// Nanoseconds waited so far, as of `now`.
    #[inline]
    pub fn until(&mut self, now: u64) -> u64 {
        if now.saturating_sub(self.looked_ns) >= LOOK_NS {
            self.look(now);
        }
        self.waited_ns
    }

    #[cold]
    fn look(&mut self, now: u64) {
        self.looked_ns = now;
        let mut text = [0; 96];
        let length = (self.file.as_ref()).and_then(|file| file.read_at(&mut text, 0).ok());
        if let Some(waited) = length.and_then(|length| second_field(&text[..length])) {
            self.waited_ns = waited;
        }
    }
}

fn second_field(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    text.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::sys::monotonic_ns;

    #[test]
    fn the_second_field_is_the_wait() {
        assert_eq!(second_field(b"566103 1672172 6\n"), Some(1_672_172));
        assert_eq!(second_field(b"566103\n"), None);
    }

    #[test]
    fn it_never_shrinks_and_is_asked_seldom() {
        let mut waits = Waits::open();
        let first = waits.until(monotonic_ns());
        let looked = waits.looked_ns;
        assert_eq!(waits.until(looked + LOOK_NS - 1), first);
        assert_eq!(waits.looked_ns, looked);
        assert!(waits.until(looked + LOOK_NS) >= first);
        assert_eq!(waits.looked_ns, looked + LOOK_NS);
    }
}
