//! What the virtual machine's folder has in common with the host's: configuration and secrets come in, logs go out.
//!
//! All else in there is the virtual machine's own, and is gone with its power: but for its disk.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use anyhow::Result;

use super::paths::{NODE, OUTSIDE};
use crate::agent::files;

const OUT: &str = "log";

/// A log is read out there within this time of its being written.
const PERIOD: Duration = Duration::from_millis(50);

static COPYING: Mutex<()> = Mutex::new(());

/// Takes over what was written out there since the last time, and keeps modes; owners are those of the folder.
pub fn bring_in() -> Result<()> {
    let _copying = COPYING
        .lock()
        .expect("no thread panics while it holds the lock");
    files::put(&files::pack(Path::new(OUTSIDE))?, Path::new(NODE))
}

/// Hands out all that is added to logs from now on.
pub fn begin() {
    thread::spawn(|| {
        let mut known = HashMap::new();
        let (from, to) = (Path::new(NODE).join(OUT), Path::new(OUTSIDE).join(OUT));
        let mut reported = false;
        loop {
            thread::sleep(PERIOD);
            match hand_out(&from, &to, &mut known) {
                Err(error) if error.kind() != io::ErrorKind::NotFound && !reported => {
                    eprintln!("cannot copy logs: {error}");
                    reported = true;
                }
                // a file may go while one looks
                _ => {}
            }
        }
    });
}

fn hand_out(from: &Path, to: &Path, known: &mut HashMap<PathBuf, u64>) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let about = entry.metadata()?;
        if about.is_dir() {
            fs::create_dir_all(&target)?;
            hand_out(&source, &target, known)?;
        } else if about.is_file() {
            let sent = known.entry(source.clone()).or_default();
            if about.len() < *sent {
                *sent = 0;
            }
            if about.len() > *sent {
                *sent += append(&source, *sent, &target)?;
            }
        }
    }
    Ok(())
}

/// Adds what is behind a position of one file to the other; how many bytes these were.
fn append(from: &Path, position: u64, to: &Path) -> io::Result<u64> {
    let mut text = Vec::new();
    let mut source = File::open(from)?;
    source.seek(SeekFrom::Start(position))?;
    source.read_to_end(&mut text)?;
    let mut target = OpenOptions::new().create(true).append(true).open(to)?;
    target.write_all(&text)?;
    // else it would be seen out there when the virtual machine's kernel thinks fit
    target.sync_data()?;
    Ok(text.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let made = std::env::temp_dir().join(format!("exchange-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&made);
        fs::create_dir_all(made.join("from/below")).unwrap();
        fs::create_dir_all(made.join("to")).unwrap();
        made
    }

    #[test]
    fn what_is_added_to_a_log_is_handed_out_once() {
        let made = folder("out");
        let (from, to) = (made.join("from"), made.join("to"));
        let mut known = HashMap::new();
        for (text, expected) in [("a", "a"), ("ab", "ab"), ("ab", "ab"), ("c", "abc")] {
            fs::write(from.join("below/log"), text).unwrap();
            hand_out(&from, &to, &mut known).unwrap();
            let seen = fs::read_to_string(to.join("below/log")).unwrap();
            assert_eq!(seen, expected);
        }
        fs::remove_dir_all(made).unwrap();
    }
}
