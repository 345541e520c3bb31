//! A command in the guest, whose input, output and signals come and go over a connection.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::channel::{self, Kind, receive, send};
use super::{processes, reaper};

/// What a server may have open.
const FILES: libc::rlim_t = 65536;

/// So long may a command that was killed take to end, with all that it has started.
const PATIENCE: Duration = Duration::from_secs(10);

type Shared = Arc<Mutex<TcpStream>>;

/// Runs it to its end; whoever asked hears how it ended. If he hangs up, it is killed.
pub fn run(command: &channel::Command, mut stream: TcpStream) -> std::io::Result<()> {
    let answers: Shared = Arc::new(Mutex::new(stream.try_clone()?));
    let mut child = match start(command) {
        Ok(child) => child,
        Err(error) => {
            let text = format!("cannot run {}: {error}\n", command.words[0]);
            tell(&answers, Kind::Error, text.as_bytes());
            tell(&answers, Kind::Exit, &127_i32.to_be_bytes());
            return Ok(());
        }
    };
    let pid = child.id() as i32;
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
    thread::spawn(move || listen(&mut stream, pid, input, &replies));
    let code = reaper::await_end(pid);
    for output in outputs.into_iter().flatten() {
        // a daemon that it has left may keep these open
        end_within(&output, Duration::from_millis(200));
    }
    if code == -libc::SIGKILL {
        processes::await_all(pid, PATIENCE);
    }
    tell(&answers, Kind::Exit, &code.to_be_bytes());
    let stream = answers.lock().expect("nobody panics with it");
    stream.shutdown(std::net::Shutdown::Both)
}

fn start(command: &channel::Command) -> std::io::Result<std::process::Child> {
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
    let _ = send(&mut *to.lock().expect("nobody panics with it"), kind, data);
}

fn end_within(thread: &JoinHandle<()>, patience: Duration) {
    let step = Duration::from_millis(1);
    let mut waited = Duration::ZERO;
    while !thread.is_finished() && waited < patience {
        thread::sleep(step);
        waited += step;
    }
}

fn listen(stream: &mut TcpStream, pid: i32, mut input: Option<ChildStdin>, answers: &Shared) {
    loop {
        let Ok((kind, data)) = receive(stream) else {
            processes::signal_all(pid, libc::SIGKILL);
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
            Kind::Signal => processes::signal(pid, number),
            Kind::SignalAll => {
                processes::signal_all(pid, number);
                tell(answers, Kind::Answer, &data);
            }
            _ => {}
        }
    }
}
