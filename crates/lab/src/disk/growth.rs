//! Whether a call would make a file longer: on a full disk that fails, while what is there can be overwritten.

use std::fs::{self, File};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::path::Path;

/// Whether this call needs room that its file, if it is below `folder`, does not have yet: behind its end, or
/// in a hole of it.
pub fn grows(asked: &libc::seccomp_notif, folder: &Path) -> bool {
    let link = format!("/proc/{}/fd/{}", asked.pid, asked.data.args[0] as i32);
    if !fs::read_link(&link).is_ok_and(|path| path.starts_with(folder)) {
        return false;
    }
    let Ok(file) = File::open(&link) else {
        return false;
    };
    if !file.metadata().is_ok_and(|about| about.is_file()) {
        return false;
    }
    written(asked, &link, &file).is_some_and(|range| first_hole(&file, range.start) < range.end)
}

/// Where the next hole begins; the end of a file is one.
fn first_hole(file: &File, from: u64) -> u64 {
    // SAFETY: plain numbers
    let found = unsafe { libc::lseek(file.as_raw_fd(), from as i64, libc::SEEK_HOLE) };
    // an error says that `from` is behind the end
    u64::try_from(found).unwrap_or(from)
}

/// Which part of its file the call would write.
fn written(asked: &libc::seccomp_notif, link: &str, file: &File) -> Option<Range<u64>> {
    let args = asked.data.args;
    let (start, length) = match libc::c_long::from(asked.data.nr) {
        libc::SYS_pwrite64 => (args[3], args[2]),
        // the lengths are in the program's memory: at least a byte
        libc::SYS_pwritev | libc::SYS_pwritev2 => (args[3], 1),
        libc::SYS_fallocate => (args[2], args[3]),
        libc::SYS_write => {
            let info = fs::read_to_string(link.replacen("/fd/", "/fdinfo/", 1)).ok()?;
            let (position, flags) = parse(&info)?;
            let appends = flags & libc::O_APPEND as u64 != 0;
            (
                if appends {
                    file.metadata().ok()?.len()
                } else {
                    position
                },
                args[2],
            )
        }
        _ => return None,
    };
    Some(start..start.saturating_add(length))
}

/// Position and flags out of /proc/PID/fdinfo/FD (proc(5)).
fn parse(info: &str) -> Option<(u64, u64)> {
    let field = |name: &str| {
        info.lines()
            .find_map(|line| line.strip_prefix(name))
            .map(str::trim)
    };
    let position = field("pos:")?.parse().ok()?;
    let flags = u64::from_str_radix(field("flags:")?, 8).ok()?;
    Some((position, flags))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn reads_positions_and_flags() {
        assert_eq!(
            parse("pos:\t42\nflags:\t0102001\nmnt_id:\t29\n"),
            Some((42, 0o102_001))
        );
        assert_eq!(parse("pos:\t42\n"), None);
    }

    fn asked(number: libc::c_long, args: [u64; 6]) -> libc::seccomp_notif {
        // SAFETY: all zeros is a valid notification
        let mut made: libc::seccomp_notif = unsafe { std::mem::zeroed() };
        made.pid = std::process::id();
        made.data.nr = number as i32;
        made.data.args = args;
        made
    }

    #[test]
    fn only_what_makes_a_file_of_this_disk_longer_grows() {
        let folder = std::env::temp_dir().join(format!("fivenines-growth-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let folder = folder.canonicalize().unwrap();
        let mut file = fs::File::create(folder.join("data")).unwrap();
        file.write_all(&[7; 8192]).unwrap();
        file.sync_all().unwrap();
        let fd = file.as_raw_fd() as u64;
        let over = asked(libc::SYS_pwrite64, [fd, 0, 4096, 4096, 0, 0]);
        let beyond = asked(libc::SYS_pwrite64, [fd, 0, 4097, 4096, 0, 0]);
        let next = asked(libc::SYS_write, [fd, 0, 1, 0, 0, 0]);
        let more = asked(libc::SYS_fallocate, [fd, 0, 0, 9000, 0, 0]);
        assert!(!grows(&over, &folder));
        assert!(grows(&beyond, &folder));
        assert!(grows(&next, &folder));
        assert!(grows(&more, &folder));
        assert!(!grows(&beyond, Path::new("/elsewhere")));
        fs::remove_dir_all(&folder).unwrap();
    }
}
