//! Delays flushes of a virtual machine's disk, with device-mapper's `delay` between the disk and its users.
//!
//! Sources: the kernel's documentation, "dm-delay"; linux/dm-ioctl.h.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;

use anyhow::{Context, Result};
use clap::Args;

use super::modules;
use super::paths::DISK;
use super::tap::check;

const CONTROL: &str = "/dev/mapper/control";
const NAME: &[u8] = b"disk";
const KIND: &[u8] = b"delay";

/// Numbers of linux/dm-ioctl.h and linux/fs.h.
const DM: libc::c_ulong = 0xc138_fd00;
const DEV_CREATE: libc::c_ulong = DM | 3;
const DEV_SUSPEND: libc::c_ulong = DM | 6;
const TABLE_LOAD: libc::c_ulong = DM | 9;
const SKIP_LOCKFS: u32 = 1 << 10;
const BLKGETSIZE64: libc::c_ulong = 0x8008_1272;

const SECTOR: u64 = 512;
const HEAD: usize = 312;
const SPEC: usize = 40;

#[derive(Args)]
pub struct DelayArgs {
    /// Delay of each flush
    #[arg(long)]
    milliseconds: u32,
}

/// Creates the delay device over the disk, with a delay of zero.
pub fn make() -> Result<()> {
    modules::load("dm-mod")?;
    modules::load("dm-delay")?;
    let control = control()?;
    ask(
        &control,
        DEV_CREATE,
        &mut message(0, &[]),
        "make the device",
    )?;
    set(&control, 0)
}

pub fn run(args: &DelayArgs) -> Result<()> {
    set(&control()?, args.milliseconds)
}

fn control() -> Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .open(CONTROL)
        .with_context(|| {
            format!("cannot open {CONTROL}: was this virtual machine made for delays?")
        })
}

/// Another table takes the place of the one in use; what is under way ends before.
fn set(control: &File, milliseconds: u32) -> Result<()> {
    // reads and writes are never delayed, flushes are: three devices, offsets and delays
    let parameters = format!("{DISK} 0 0 {DISK} 0 0 {DISK} 0 {milliseconds}");
    let target = target(sectors()?, parameters.as_bytes());
    ask(
        control,
        TABLE_LOAD,
        &mut message(0, &target),
        "load the table",
    )?;
    ask(
        control,
        DEV_SUSPEND,
        &mut message(SKIP_LOCKFS, &[]),
        "use the table",
    )
}

fn sectors() -> Result<u64> {
    let disk = File::open(DISK).with_context(|| format!("cannot open {DISK}"))?;
    let mut bytes: u64 = 0;
    // SAFETY: the kernel writes a number of 64 bits, which outlives the call.
    check(unsafe { libc::ioctl(disk.as_raw_fd(), BLKGETSIZE64 as _, &raw mut bytes) })
        .context("cannot ask for the size of the disk")?;
    Ok(bytes / SECTOR)
}

/// A `dm_ioctl` about our device, with what follows it.
fn message(flags: u32, data: &[u8]) -> Vec<u8> {
    let mut text = vec![0u8; HEAD];
    let mut put = |at: usize, value: u32| text[at..at + 4].copy_from_slice(&value.to_ne_bytes());
    put(0, 4);
    put(12, (HEAD + data.len()) as u32);
    put(16, HEAD as u32);
    put(20, u32::from(!data.is_empty()));
    put(28, flags);
    text[48..48 + NAME.len()].copy_from_slice(NAME);
    text.extend(data);
    text
}

/// A `dm_target_spec` for all of the disk, with its parameters.
fn target(sectors: u64, parameters: &[u8]) -> Vec<u8> {
    let mut text = vec![0u8; SPEC];
    text[8..16].copy_from_slice(&sectors.to_ne_bytes());
    text[24..24 + KIND.len()].copy_from_slice(KIND);
    text.extend(parameters);
    // ended by a zero, and filled up to whole numbers of 64 bits
    text.resize(text.len() / 8 * 8 + 8, 0);
    text
}

fn ask(control: &File, number: libc::c_ulong, message: &mut [u8], what: &str) -> Result<()> {
    // SAFETY: the message says its own length, and outlives the call.
    check(unsafe { libc::ioctl(control.as_raw_fd(), number as _, message.as_mut_ptr()) })
        .with_context(|| format!("device-mapper: cannot {what}"))
        .map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_its_length_and_whose_it_is() {
        let data = target(100, b"/dev/x 0 5");
        let bytes = message(SKIP_LOCKFS, &data);
        assert_eq!(bytes.len(), HEAD + data.len());
        assert_eq!(bytes[12..16], (bytes.len() as u32).to_ne_bytes());
        assert_eq!(bytes[28..32], SKIP_LOCKFS.to_ne_bytes());
        assert_eq!(&bytes[48..53], b"disk\0");
    }

    #[test]
    fn parameters_end_with_a_zero_whatever_their_length() {
        for length in 0..20 {
            let text = target(7, &vec![b'a'; length]);
            assert_eq!(text.len() % 8, 0);
            assert_eq!(text[SPEC + length], 0);
        }
    }
}
