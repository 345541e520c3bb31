//! What the controller wants now, and what has been done: a small file that both have mapped.

use std::fs::OpenOptions;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};

const SIZE: usize = 64;

/// Eight numbers of 64 bits, little-endian as the machine is: mode, delay in µs; asked, delayed, refused.
pub struct Control {
    fields: &'static [AtomicU64; SIZE / 8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Normal,
    Slow(Duration),
    Full,
}

impl Control {
    pub fn open(path: &Path) -> Result<Control> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .with_context(|| format!("cannot open {}", path.display()))?;
        if file.metadata()?.len() < SIZE as u64 {
            bail!("{} is shorter than {SIZE} bytes", path.display());
        }
        // SAFETY: a fresh mapping of a file that is long enough, never unmapped
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                SIZE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error()).context("cannot map the control file");
        }
        // SAFETY: mapped for ever, aligned to a page, and only ever used as atomic numbers
        let fields = unsafe { &*address.cast::<[AtomicU64; SIZE / 8]>() };
        Ok(Control { fields })
    }

    pub fn mode(&self) -> Mode {
        match self.fields[0].load(Ordering::Acquire) {
            1 => Mode::Slow(Duration::from_micros(
                self.fields[1].load(Ordering::Acquire),
            )),
            2 => Mode::Full,
            _ => Mode::Normal,
        }
    }

    pub fn asked(&self) {
        self.fields[2].fetch_add(1, Ordering::Relaxed);
    }

    pub fn delayed(&self) {
        self.fields[3].fetch_add(1, Ordering::Relaxed);
    }

    pub fn refused(&self) {
        self.fields[4].fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_read_and_counts_are_written() {
        let path = std::env::temp_dir().join(format!("fivenines-control-{}", std::process::id()));
        std::fs::write(&path, [0u8; SIZE]).unwrap();
        let control = Control::open(&path).unwrap();
        assert_eq!(control.mode(), Mode::Normal);
        let mut bytes = [0u8; SIZE];
        bytes[0] = 1;
        bytes[8..16].copy_from_slice(&2500u64.to_le_bytes());
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(control.mode(), Mode::Slow(Duration::from_micros(2500)));
        control.delayed();
        control.delayed();
        assert_eq!(std::fs::read(&path).unwrap()[24], 2);
        std::fs::remove_file(&path).unwrap();
        assert!(Control::open(&path).is_err());
    }
}
