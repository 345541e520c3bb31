//! Runs a command of the host; a connection carries its input, output and signals.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::channel::{Kind, Stream, receive, send};
use super::{processes, reaper};

/// What a server may have open.
const FILES: libc::rlim_t = 65536;

/// So long may a command that was killed take to end, with all that it has started.
const PATIENCE: Duration = Duration::from_secs(10);

type Shared = Arc<Mutex<Stream>>;

/// What is started for a command.
pub struct Start {
    pub words: Vec<String>,
    /// The user that it becomes; root where there is none
    pub uid: Option<u32>,
    pub environment: Vec<(String, String)>,
    /// Whether the command is a child of what is started, which ends as its child does
    pub through: bool,
}

/// Says that there will be no command, and why.
pub fn refuse(stream: &Stream, why: &str) {
    let _ = send(&mut &*stream, Kind::Error, format!("{why}\n").as_bytes());
    let _ = send(&mut &*stream, Kind::Exit, &127_i32.to_be_bytes());
}

/// Runs a command to its end and reports its status to the client. If the client disconnects, it is killed.
pub fn run(command: Start, mut stream: Stream) -> std::io::Result<()> {
    let mut child = match start(&command) {
        Ok(child) => child,
        Err(error) => {
            refuse(
                &stream,
                &format!("cannot run {}: {error}", command.words[0]),
            );
            return Ok(());
        }
    };
    let answers: Shared = Arc::new(Mutex::new(stream.try_clone()?));
    let started = Started {
        pid: child.id() as i32,
        through: command.through,
    };
    let outputs = [
        child
            .stdout
            .take()
            .map(|from| pass_on(from, Kind::Output, &answers)),
        child
            .stderr
            .take()
            .map(|from| pass_on(from, Kind::Error, &answers)),
    ];
    let input = child.stdin.take();
    let replies = Arc::clone(&answers);
    thread::spawn(move || listen(&mut stream, started, input, &replies));
    let code = reaper::await_end(started.pid);
    for output in outputs.into_iter().flatten() {
        // a daemon that it has left may keep these open
        end_within(&output, Duration::from_millis(200));
    }
    if code == -libc::SIGKILL {
        processes::await_all(started.pid, PATIENCE);
    }
    tell(&answers, Kind::Exit, &code.to_be_bytes());
    let stream = answers
        .lock()
        .expect("no thread panics while it holds the lock");
    stream.shutdown(std::net::Shutdown::Both)
}

/// What was started for a command.
#[derive(Clone, Copy)]
struct Started {
    pid: i32,
    through: bool,
}

impl Started {
    /// A signal to the command alone.
    fn signal(self, number: i32) {
        if self.through {
            for pid in processes::children(self.pid) {
                processes::signal(pid, number);
            }
        } else {
            processes::signal(self.pid, number);
        }
    }

    /// A signal to the command and all that it has started.
    fn signal_all(self, number: i32) {
        processes::signal_all(self.pid, number, self.through);
    }
}

fn start(command: &Start) -> std::io::Result<std::process::Child> {
    let uid = command.uid.unwrap_or(0);
    let mut made = Command::new(&command.words[0]);
    made.args(&command.words[1..])
        .env_clear()
        .envs(command.environment.iter().cloned())
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // SAFETY: only calls of the kernel between fork and exec.
    unsafe {
        made.pre_exec(move || {
            libc::setsid();
            let most = libc::rlimit {
                rlim_cur: FILES,
                rlim_max: FILES,
            };
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const most);
            if uid != 0
                && (libc::setgroups(0, std::ptr::null()) != 0
                    || libc::setgid(uid) != 0
                    || libc::setuid(uid) != 0)
            {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        });
    }
    reaper::spawn(&mut made)
}

fn pass_on(mut from: impl Read + Send + 'static, kind: Kind, to: &Shared) -> JoinHandle<()> {
    let to = Arc::clone(to);
    thread::spawn(move || {
        let mut buffer = [0; 32768];
        while let Ok(size @ 1..) = from.read(&mut buffer) {
            tell(&to, kind, &buffer[..size]);
        }
    })
}

fn tell(to: &Shared, kind: Kind, data: &[u8]) {
    // who has hung up does not want to know
    let _ = send(
        &mut *to.lock().expect("no thread panics while it holds the lock"),
        kind,
        data,
    );
}

fn end_within(thread: &JoinHandle<()>, patience: Duration) {
    let step = Duration::from_millis(1);
    let mut waited = Duration::ZERO;
    while !thread.is_finished() && waited < patience {
        thread::sleep(step);
        waited += step;
    }
}

fn listen(stream: &mut Stream, started: Started, mut input: Option<ChildStdin>, answers: &Shared) {
    loop {
        let Ok((kind, data)) = receive(stream) else {
            started.signal_all(libc::SIGKILL);
            return;
        };
        let number = data.first().copied().map_or(0, i32::from);
        match kind {
            Kind::Input => {
                if let Some(pipe) = &mut input
                    && pipe.write_all(&data).is_err()
                {
                    input = None;
                }
            }
            Kind::InputEnd => input = None,
            Kind::Signal => started.signal(number),
            Kind::SignalAll => {
                started.signal_all(number);
                tell(answers, Kind::Answer, &data);
            }
            _ => {}
        }
    }
}
