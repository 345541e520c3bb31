//! The event loop: frames in, frames out when they are due, and the controller's requests between them.

use super::frame::LARGEST;
use anyhow::{Context, Result};
use base::sys::{Timer, monotonic_ns};
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

/// So many frames are taken from a port before the others, and those that are due, have their turn.
const TURN: usize = 32;

const TIMER: Token = Token(usize::MAX);
const CONTROL: Token = Token(usize::MAX - 1);

/// What has frames to send on. Ports are numbered.
pub trait Traffic {
    /// What tells that a port has frames.
    fn ports(&self) -> Vec<RawFd>;

    /// Takes the next frame of a port; false if there is none now.
    fn take(&mut self, port: usize, buffer: &mut [u8; LARGEST]) -> bool;

    /// Sends what is due by now.
    fn deliver(&mut self, now: u64);

    /// When the next frame is due.
    fn next_due(&self) -> Option<u64>;

    /// Does what a line of the controller asks; the answer is a line without its end.
    fn answer(&mut self, line: &[u8], now: u64) -> String;
}

/// The controller, which sets the links.
pub struct Controller {
    pub asks: File,
    pub is_told: File,
}

/// Runs until the controller hangs up.
pub fn run(traffic: impl Traffic, controller: Controller) -> Result<()> {
    Emulator::new(traffic, controller)?.run()
}

/// Reading returns at once if there is nothing.
pub fn never_wait(file: &impl AsFd) -> nix::Result<()> {
    fcntl(file, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).map(drop)
}

struct Emulator<T> {
    poll: Poll,
    timer: Timer,
    controller: Controller,
    asked: Vec<u8>,
    traffic: T,
    /// Ports that can have more frames, as readiness is reported only once.
    ready: Vec<bool>,
    buffer: Box<[u8; LARGEST]>,
}

impl<T: Traffic> Emulator<T> {
    fn new(traffic: T, controller: Controller) -> Result<Emulator<T>> {
        let poll = Poll::new()?;
        let timer = Timer::new()?;
        never_wait(&controller.asks).context("the controller")?;
        let watch = |fd: i32, token| {
            poll.registry()
                .register(&mut SourceFd(&fd), token, Interest::READABLE)
        };
        watch(timer.as_raw_fd(), TIMER)?;
        watch(controller.asks.as_raw_fd(), CONTROL)?;
        let ports = traffic.ports();
        for (number, port) in ports.iter().enumerate() {
            watch(*port, Token(number))?;
        }
        Ok(Emulator {
            poll,
            timer,
            controller,
            asked: Vec::new(),
            traffic,
            ready: vec![true; ports.len()],
            buffer: Box::new([0; LARGEST]),
        })
    }

    fn run(mut self) -> Result<()> {
        self.controller
            .is_told
            .write_all(b"{\"ok\":true}\n")
            .context("telling that we are ready")?;
        let mut events = Events::with_capacity(64);
        loop {
            for port in 0..self.ready.len() {
                if self.ready[port] {
                    self.take_turn(port);
                }
            }
            self.traffic.deliver(monotonic_ns());
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
            if !self.traffic.take(port, &mut self.buffer) {
                self.ready[port] = false;
                return;
            }
        }
    }

    /// Sleeps until a frame comes or is due. The timer is exact; a time-out of epoll has milliseconds only.
    fn wait(&mut self, events: &mut Events) -> Result<()> {
        let busy = self.ready.contains(&true);
        if let (false, Some(due)) = (busy, self.traffic.next_due()) {
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
            match self.controller.asks.read(&mut chunk) {
                Ok(0) => return Ok(false),
                Ok(size) => self.asked.extend_from_slice(&chunk[..size]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(false),
                Err(error) => return Err(error).context("the controller"),
            }
        }
        while let Some(end) = self.asked.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.asked.drain(..=end).collect();
            let answer = self.traffic.answer(&line, monotonic_ns());
            // One short answer to one question always fits into the socket.
            if writeln!(self.controller.is_told, "{answer}").is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
