//! `remote serve`: runs a host of the lab on this machine, in separate namespaces but on the machine's network.
//!
//! Its lifeline is the input: the controller writes to it every now and then, and when that ends, or nothing has
//! come for a while, the host ends with all that was started on it.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::first;
use super::guard::{Guard, Note, sibling};
use crate::agent::channel::{Command, Place, Question};
use crate::agent::commands::Start;
use crate::agent::serve::{Agent, serve};
use crate::agent::{files, processes, reaper};

/// So long may the guard of the host before us take to clear away.
const CLEARING: Duration = Duration::from_secs(5);

/// What a host has in its own folder.
const PARTS: &[&str] = &["data", "log", "conf", "run"];
const NODE: &str = "/run/node";

#[derive(Args)]
pub struct ServeArgs {
    /// The host's name
    #[arg(long)]
    name: String,
    /// A folder of this host alone, which is made, and removed at the end
    #[arg(long)]
    folder: PathBuf,
    /// User id that can send requests to the socket next to the folder
    #[arg(long)]
    user: u32,
    /// Seconds after which a silent controller is taken for dead
    #[arg(long)]
    silence: f64,
    /// A file that one run at a time locks on this machine
    #[arg(long)]
    lock: PathBuf,
    /// The folder is there, since the machine lost its power: go on with it
    #[arg(long)]
    again: bool,
    /// Root file system to overlay; without it the host sees the machine's programs, read-only
    #[arg(long)]
    lower: Option<PathBuf>,
    /// Folder to show inside, read-only, as SOURCE:TARGET
    #[arg(long)]
    show: Vec<String>,
}

pub fn run(args: ServeArgs) -> Result<()> {
    let silence = Duration::from_secs_f64(args.silence);
    // never unlocked, which would take it from the guard, too: it goes with the last of both
    std::mem::forget(lock(&args.lock)?);
    if !args.again {
        fs::create_dir_all(args.folder.parent().unwrap_or(&args.folder))?;
        fs::create_dir(&args.folder)
            .with_context(|| format!("cannot make {}", args.folder.display()))?;
    }
    let guard = Guard::start(&args.folder)?;
    let host = Host::start(args, guard)?;
    let listener = host.listen()?;
    let host: &'static Host = HOST.get_or_init(|| host);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                if let Err(error) = serve(host, stream.into()) {
                    eprintln!("a request failed: {error:#}");
                }
            });
        }
    });
    println!("ready");
    std::io::stdout().flush()?;
    await_silence(silence)
}

/// Lock file that keeps other runs off this machine until it is closed.
fn lock(path: &Path) -> Result<Flock<File>> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .with_context(|| format!("cannot open {}", path.display()))?;
    let mut file = file;
    let until = Instant::now() + CLEARING;
    loop {
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(held) => return Ok(held),
            Err((free, _)) if Instant::now() < until => file = free,
            Err(_) => {
                anyhow::bail!("another run of fivenines uses this machine: wait until it ends")
            }
        }
        thread::sleep(Duration::from_millis(50));
    }
}

static HOST: OnceLock<Host> = OnceLock::new();

struct Host {
    folder: PathBuf,
    logs: PathBuf,
    user: u32,
    program: String,
    lab: first::First,
    first: first::First,
    guard: Guard,
}

impl Host {
    fn start(args: ServeArgs, guard: Guard) -> Result<Host> {
        let node = args.folder.join("node");
        for part in PARTS {
            fs::create_dir_all(node.join(part))?;
        }
        // All users of the host share its folder, as on a machine; the folder above it is closed to others.
        fs::set_permissions(&node, PermissionsExt::from_mode(0o755))?;
        fs::set_permissions(&args.folder, PermissionsExt::from_mode(0o700))?;
        reaper::begin();
        let program = std::env::current_exe()?.display().to_string();
        let lab = first::start(&words(&[
            &program,
            "init",
            "lab",
            "--all-ids",
            "--shared-network",
        ]))
        .context("the machine's namespaces")?;
        guard.note(&Note::Ends(lab.pid))?;
        let first = first::start(&of_host(&program, lab.pid, &args, &node)).context("the host")?;
        processes::are_those_of(first.pid)?;
        Ok(Host {
            logs: node.join("log"),
            folder: args.folder,
            user: args.user,
            program,
            lab,
            first,
            guard,
        })
    }

    fn listen(&self) -> Result<UnixListener> {
        let path = sibling(&self.folder, "sock");
        let _ = fs::remove_file(&path);
        let listener = UnixListener::bind(&path).context("cannot listen")?;
        fs::set_permissions(&path, PermissionsExt::from_mode(0o600))?;
        chown(&path, Some(self.user), None).context("cannot change the owner of the socket")?;
        Ok(listener)
    }

    fn node(&self) -> PathBuf {
        self.folder.join("node")
    }

    fn own(&self, folders: &[String], uid: u32) -> Result<()> {
        for name in folders {
            let folder = self.node().join(name);
            fs::create_dir_all(&folder)?;
            files::give(&folder, uid)?;
        }
        Ok(())
    }

    fn undo(&self, name: String, command: Vec<String>, input: String) -> Result<()> {
        self.guard.note(&if command.is_empty() {
            Note::Undone(name)
        } else {
            Note::Undo {
                name,
                command,
                input,
            }
        })
    }
}

impl Agent for Host {
    fn start(&self, command: Command) -> Result<Start> {
        if let Some(uid) = command.uid {
            files::give_all(&self.node(), uid)?;
        }
        let way = match command.place {
            Place::Machine => Vec::new(),
            Place::Outside => {
                let target = format!("--target={}", self.lab.pid);
                words(&[&self.program, "init", "enter", &target, "--into=pid", "--"])
            }
            Place::Inside => {
                let target = format!("--target={}", self.first.pid);
                let mut way = words(&[&self.program, "init", "inside", &target, "--all-ids"]);
                way.push("--shared-network".into());
                way.extend(command.uid.map(|uid| format!("--uid={uid}")));
                way.push("--".into());
                way
            }
        };
        Ok(Start {
            through: !way.is_empty(),
            words: way.into_iter().chain(command.words).collect(),
            uid: None,
            environment: command.environment,
        })
    }

    fn logs(&self) -> &Path {
        &self.logs
    }

    fn socket(&self, named: &Path) -> PathBuf {
        match named.strip_prefix(NODE) {
            Ok(below) => self.node().join(below),
            Err(_) => named.to_path_buf(),
        }
    }

    fn answer(&self, question: Question) -> Result<String> {
        let done = |()| String::new();
        match question {
            Question::Own { folders, uid } => self.own(&folders, uid).map(done),
            Question::TakeOver(entries) => files::put(&entries, &self.node()).map(done),
            Question::Undo {
                name,
                command,
                input,
            } => self.undo(name, command, input).map(done),
            Question::Clock => Ok(format!(
                "{} {}",
                base::sys::unix_ns(),
                base::sys::monotonic_ns()
            )),
            other => anyhow::bail!("this host does not support the request {other:?}"),
        }
    }
}

fn of_host(program: &str, lab: i32, args: &ServeArgs, node: &Path) -> Vec<String> {
    let target = format!("--target={lab}");
    let mut made = words(&[
        program,
        "init",
        "enter",
        &target,
        "--into=user,mnt,pid",
        "--",
    ]);
    made.extend(words(&[program, "init", "host", "--shared-network"]));
    made.push(format!("--name={}", args.name));
    made.push(format!("--scratch={}", args.folder.display()));
    made.push(format!("--bind={}:{NODE}", node.display()));
    made.extend(
        args.lower
            .iter()
            .map(|lower| format!("--lower={}", lower.display())),
    );
    made.extend(args.show.iter().map(|shown| format!("--bind-ro={shown}")));
    made
}

fn words(some: &[&str]) -> Vec<String> {
    some.iter().map(|one| (*one).to_owned()).collect()
}

/// Returns when our input was silent for this long, or has ended.
fn await_silence(patience: Duration) -> Result<()> {
    let input = std::io::stdin();
    let limit = PollTimeout::try_from(patience).context("--silence is too long")?;
    loop {
        let mut watched = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
        match poll(&mut watched, limit) {
            Err(Errno::EINTR) => continue,
            Ok(0) => anyhow::bail!("no sign of the controller within --silence"),
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
        if input.lock().read(&mut [0; 256])? == 0 {
            return Ok(());
        }
    }
}
