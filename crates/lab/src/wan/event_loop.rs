//! The event loop: frames in, frames out when they are due, and the controller's requests between them.

use super::control;
use super::frame::LARGEST;
use super::port::Port;
use super::switch::{Outlet, Switch};
use anyhow::{Context, Result};
use base::sys::{Timer, monotonic_ns};
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// So many frames are taken from a port before the others, and those that are due, have their turn.
const TURN: usize = 32;

const TIMER: Token = Token(usize::MAX);
const CONTROL: Token = Token(usize::MAX - 1);

struct Ports(Vec<Port>);

impl Outlet for Ports {
    fn send(&mut self, port: usize, frame: &[u8]) -> bool {
        self.0[port].send(frame)
    }
}

/// Runs until the controller hangs up.
pub fn run(ports: Vec<Port>, controller: UnixStream, seed: u64) -> Result<()> {
    Emulator::new(ports, controller, seed)?.run()
}

struct Emulator {
    poll: Poll,
    timer: Timer,
    controller: UnixStream,
    asked: Vec<u8>,
    switch: Switch,
    /// Ports that may have more frames: readiness is told once only.
    ready: Vec<bool>,
    ports: Ports,
    buffer: Box<[u8; LARGEST]>,
}

impl Emulator {
    fn new(ports: Vec<Port>, controller: UnixStream, seed: u64) -> Result<Emulator> {
        let poll = Poll::new()?;
        let timer = Timer::new()?;
        controller.set_nonblocking(true).context("--control-fd")?;
        let watch = |fd: i32, token| {
            poll.registry()
                .register(&mut SourceFd(&fd), token, Interest::READABLE)
        };
        watch(timer.as_raw_fd(), TIMER)?;
        watch(controller.as_raw_fd(), CONTROL)?;
        for (number, port) in ports.iter().enumerate() {
            watch(port.as_raw_fd(), Token(number))?;
        }
        Ok(Emulator {
            poll,
            timer,
            controller,
            asked: Vec::new(),
            switch: Switch::new(ports.len(), seed),
            ready: vec![true; ports.len()],
            ports: Ports(ports),
            buffer: Box::new([0; LARGEST]),
        })
    }

    fn run(mut self) -> Result<()> {
        self.controller
            .write_all(b"{\"ok\":true}\n")
            .context("telling that we are ready")?;
        let mut events = Events::with_capacity(64);
        loop {
            for port in 0..self.ready.len() {
                if self.ready[port] {
                    self.take_turn(port);
                }
            }
            self.switch.deliver(monotonic_ns(), &mut self.ports);
            self.wait(&mut events)?;
            for event in &events {
                match event.token() {
                    TIMER => {}
                    CONTROL => {
                        if !self.serve_controller()? {
                            return Ok(());
                        }
                    }
                    Token(port) => self.ready[port] = true,
                }
            }
        }
    }

    fn take_turn(&mut self, port: usize) {
        for _ in 0..TURN {
            let Some(frame) = self.ports.0[port].receive(&mut self.buffer) else {
                self.ready[port] = false;
                return;
            };
            self.switch
                .take(port, frame, monotonic_ns(), &mut self.ports);
        }
    }

    /// Sleeps until a frame comes or is due. The timer is exact; a time-out of epoll has milliseconds only.
    fn wait(&mut self, events: &mut Events) -> Result<()> {
        let busy = self.ready.contains(&true);
        if let (false, Some(due)) = (busy, self.switch.next_due()) {
            self.timer.set(due)?;
        }
        match self.poll.poll(events, busy.then_some(Duration::ZERO)) {
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            other => Ok(other?),
        }
    }

    /// Answers all that was asked; false when the controller is gone.
    fn serve_controller(&mut self) -> Result<bool> {
        let mut chunk = [0; 4096];
        loop {
            match self.controller.read(&mut chunk) {
                Ok(0) => return Ok(false),
                Ok(size) => self.asked.extend_from_slice(&chunk[..size]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(false),
                Err(error) => return Err(error).context("the controller's socket"),
            }
        }
        while let Some(end) = self.asked.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.asked.drain(..=end).collect();
            let now = monotonic_ns();
            let answer = control::answer(&line, &mut self.switch, &mut self.ports.0, now);
            // One short answer to one question always fits into the socket.
            if writeln!(self.controller, "{answer}").is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
