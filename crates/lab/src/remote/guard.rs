//! Who clears away when a host has ended, whatever has ended it: all of its processes end, faults in the network
//! are undone, its files are removed. A process of its own, as the dead man's switch must work when the holder of
//! it is killed.
//!
//! It reads what is to be done from a pipe, a line of JSON each, and does it when the pipe ends.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write, pipe};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use nix::unistd::{ForkResult, fork, setsid};
use serde::{Deserialize, Serialize};

const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// A first process; its end ends all processes below it
    Ends(i32),
    /// What undoes a fault, under a name
    Undo {
        name: String,
        command: Vec<String>,
        input: String,
    },
    /// A fault has been undone
    Undone(String),
}

/// Where notes go to.
pub struct Guard {
    pipe: PipeWriter,
}

impl Guard {
    /// Starts the guard of a folder. Nothing else may run in this process yet.
    pub fn start(folder: &Path) -> Result<Guard> {
        let (from, to) = pipe().context("cannot make a pipe")?;
        // SAFETY: this program is single-threaded here, so the child may do whatever the parent may
        match unsafe { fork() }.context("cannot fork")? {
            ForkResult::Parent { .. } => Ok(Guard { pipe: to }),
            ForkResult::Child => {
                drop(to);
                std::process::exit(i32::from(keep(from, folder).is_err()));
            }
        }
    }

    /// It is on its way when this returns: a pipe keeps it, whatever becomes of us.
    pub fn note(&self, note: &Note) -> Result<()> {
        let mut line = serde_json::to_vec(note)?;
        line.push(b'\n');
        (&self.pipe).write_all(&line).context("the guard has ended")
    }
}

fn keep(from: PipeReader, folder: &Path) -> Result<()> {
    setsid()?;
    leave_our_place()?;
    let (mut ends, mut undo) = (Vec::new(), BTreeMap::new());
    for line in BufReader::new(from).lines() {
        match serde_json::from_str(&line?)? {
            Note::Ends(pid) => ends.push(pid),
            Note::Undo {
                name,
                command,
                input,
            } => {
                undo.insert(name, (command, input));
            }
            Note::Undone(name) => {
                undo.remove(&name);
            }
        }
    }
    for (command, input) in undo.values() {
        let _ = run(command, input);
    }
    ends.iter().for_each(|pid| end(*pid));
    let _ = fs::remove_dir_all(folder);
    let _ = fs::remove_file(sibling(folder, "sock"));
    Ok(())
}

/// Returns the path of a file next to a host's folder.
pub fn sibling(folder: &Path, ending: &str) -> PathBuf {
    folder.with_extension(ending)
}

/// Closes our output, so that a reader of our parent's output does not wait for us.
fn leave_our_place() -> Result<()> {
    std::env::set_current_dir("/")?;
    let null = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    for number in 0..3 {
        // SAFETY: both are open descriptors of ours.
        unsafe { libc::dup2(std::os::fd::AsRawFd::as_raw_fd(&null), number) };
    }
    // SAFETY: a signal that is ignored runs no code of ours.
    unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
    Ok(())
}

fn run(command: &[String], input: &str) -> Result<()> {
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::piped())
        .spawn()?;
    child
        .stdin
        .take()
        .context("no input")?
        .write_all(input.as_bytes())?;
    child.wait()?;
    Ok(())
}

fn end(pid: i32) {
    let since = Instant::now();
    // nothing of another program, should the number have been given away
    let own = fs::read_link("/proc/self/exe").ok();
    let is_ours = || fs::read_link(format!("/proc/{pid}/exe")).ok() == own;
    while since.elapsed() < PATIENCE && is_ours() {
        // SAFETY: plain numbers.
        unsafe { libc::kill(pid, libc::SIGKILL) };
        sleep(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_lines_of_json() {
        let note = Note::Undo {
            name: "cut".into(),
            command: vec!["nft".into(), "-f".into(), "-".into()],
            input: "delete\ntable".into(),
        };
        let text = serde_json::to_string(&note).unwrap();
        assert!(!text.contains('\n'), "{text}");
        assert_eq!(serde_json::from_str::<Note>(&text).unwrap(), note);
        assert_eq!(
            serde_json::to_string(&Note::Ends(7)).unwrap(),
            r#"{"ends":7}"#
        );
    }
}
