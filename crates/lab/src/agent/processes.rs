//! A host's processes: a command with all that it has started, and all of them but the first one.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A process as /proc/PID/stat tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    pid: i32,
    parent: i32,
    session: i32,
    dead: bool,
}

/// The host's own: its PID namespace, and its first process. A virtual machine has all that there are.
static HOST: OnceLock<(PathBuf, i32)> = OnceLock::new();

/// From now on the host's processes are those in the PID namespace of this one, which stays out of it.
pub fn are_those_of(first: i32) -> std::io::Result<()> {
    let _ = HOST.set((namespace(first)?, first));
    Ok(())
}

fn namespace(pid: i32) -> std::io::Result<PathBuf> {
    fs::read_link(format!("/proc/{pid}/ns/pid"))
}

/// Whether a process is the host's.
fn is_of_host(one: &Stat) -> bool {
    match HOST.get() {
        Some((own, first)) => one.pid != *first && namespace(one.pid).is_ok_and(|its| its == *own),
        // the kernel's own threads are children of 2
        None => one.pid > 2 && one.parent != 2,
    }
}

/// Sends a signal to a command and all that it has started, also to those that begin meanwhile; `through`:
/// not to the command, which is what has started it.
pub fn signal_all(command: i32, number: i32, through: bool) {
    let mut hit: HashSet<i32> = through.then_some(command).into_iter().collect();
    loop {
        let fresh: Vec<i32> = family(&all(), command)
            .into_iter()
            .filter(|pid| hit.insert(*pid))
            .collect();
        if fresh.is_empty() {
            return;
        }
        for pid in fresh {
            signal(pid, number);
        }
    }
}

/// Waits until nothing of a command is left, for a while.
pub fn await_all(command: i32, patience: Duration) {
    let end = Instant::now() + patience;
    while Instant::now() < end && !family(&all(), command).is_empty() {
        sleep(Duration::from_millis(1));
    }
}

/// Ends all processes of the host but its first one; how many there were.
pub fn kill_all(patience: Duration) -> usize {
    let mut hit = HashSet::new();
    let end = Instant::now() + patience;
    loop {
        let living: Vec<i32> = all()
            .into_iter()
            .filter(|one| !one.dead && is_of_host(one))
            .map(|one| one.pid)
            .collect();
        if living.is_empty() || Instant::now() > end {
            return hit.len();
        }
        for pid in living {
            signal(pid, libc::SIGKILL);
            hit.insert(pid);
        }
        sleep(Duration::from_millis(1));
    }
}

/// The process that runs a program of this name, which is not one that such a process has started.
pub fn called(program: &str) -> Option<i32> {
    let named: Vec<Stat> = all()
        .into_iter()
        .filter(|one| {
            !one.dead && is_of_host(one) && name(one.pid).is_some_and(|own| own == program)
        })
        .collect();
    let is_child = |one: &Stat| named.iter().any(|other| other.pid == one.parent);
    let top = named.iter().filter(|one| !is_child(one));
    top.map(|one| one.pid).min()
}

fn name(pid: i32) -> Option<String> {
    Some(
        fs::read_to_string(format!("/proc/{pid}/comm"))
            .ok()?
            .trim_end()
            .to_owned(),
    )
}

/// The living children of a process.
pub fn children(of: i32) -> Vec<i32> {
    let all = all();
    let own = all.iter().filter(|one| one.parent == of && !one.dead);
    own.map(|one| one.pid).collect()
}

/// All processes of the host, each as /proc tells it: its number, and its files stat, statm and io.
pub fn reported() -> Vec<(i32, String, String, String)> {
    let file = |pid: i32, name: &str| fs::read_to_string(format!("/proc/{pid}/{name}"));
    let all = all();
    let own = all.iter().filter(|one| !one.dead && is_of_host(one));
    own.filter_map(|one| {
        let text = |name| file(one.pid, name).unwrap_or_default();
        Some((
            one.pid,
            file(one.pid, "stat").ok()?,
            text("statm"),
            text("io"),
        ))
    })
    .collect()
}

/// Whether a process runs.
pub fn lives(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .ok()
        .and_then(|line| stat(&line))
        .is_some_and(|one| !one.dead)
}

pub fn signal(pid: i32, number: i32) {
    // SAFETY: plain numbers; who has ended gets nothing.
    unsafe { libc::kill(pid, number) };
}

/// The living ones of a command's session, and those below it.
fn family(all: &[Stat], command: i32) -> Vec<i32> {
    let parents: HashMap<i32, i32> = all.iter().map(|one| (one.pid, one.parent)).collect();
    let below = |pid: i32| {
        let mut at = Some(pid);
        // A parent can end between two lines, and another process can get its PID.
        for _ in 0..parents.len() + 1 {
            match at {
                Some(pid) if pid == command => return true,
                Some(pid) => at = parents.get(&pid).copied(),
                None => return false,
            }
        }
        false
    };
    all.iter()
        .filter(|one| !one.dead && (one.session == command || below(one.pid)))
        .map(|one| one.pid)
        .collect()
}

fn all() -> Vec<Stat> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .starts_with(|one: char| one.is_ascii_digit())
        })
        .filter_map(|entry| stat(&fs::read_to_string(entry.path().join("stat")).ok()?))
        .collect()
}

/// proc(5): the name is in parentheses and can contain parentheses.
fn stat(line: &str) -> Option<Stat> {
    let (head, rest) = line.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    Some(Stat {
        pid: head.split_once(' ')?.0.parse().ok()?,
        dead: matches!(*fields.first()?, "Z" | "X"),
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_stat_is_read_whatever_the_name() {
        let line = "71 (a) b (c) S 1 70 69 0 -1 4194560 117";
        let expected = Stat {
            pid: 71,
            parent: 1,
            session: 69,
            dead: false,
        };
        assert_eq!(stat(line), Some(expected));
        assert!(stat("71 (a) Z 1 70 69 0").unwrap().dead);
        assert_eq!(stat("71"), None);
    }

    #[test]
    fn a_family_is_a_session_and_all_below() {
        let one = |pid, parent, session| Stat {
            pid,
            parent,
            session,
            dead: false,
        };
        let all = [
            one(1, 0, 1),
            one(10, 1, 10),
            one(11, 10, 10),
            // A daemon with a separate session, but still a descendant.
            one(12, 11, 12),
            // one that was handed over to process 1
            one(13, 1, 10),
            one(20, 1, 20),
        ];
        let mut found = family(&all, 10);
        found.sort_unstable();
        assert_eq!(found, [10, 11, 12, 13]);
        assert!(family(&all, 99).is_empty());
    }

    #[test]
    fn our_own_children_are_found() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let pid = child.id() as i32;
        assert_eq!(family(&all(), pid), [pid]);
        assert!(lives(pid) && called("sleep").is_some());
        signal_all(pid, libc::SIGKILL, false);
        child.wait().unwrap();
        assert!(!lives(pid));
        assert!(family(&all(), pid).is_empty());
    }
}
