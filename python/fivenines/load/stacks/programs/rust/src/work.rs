//! The workers, which write one row after the other.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::failure::Failure;
use crate::lines;
use crate::task::Task;

/// How far a transaction has got; between two of them: nowhere.
#[derive(Clone, Copy, PartialEq)]
pub enum Stage {
    Nowhere,
    Acquire,
    Work,
    Commit,
    Release,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Stage::Nowhere => "",
            Stage::Acquire => "acquire",
            Stage::Work => "work",
            Stage::Commit => "commit",
            Stage::Release => "release",
        }
    }
}

/// The stage of a worker, which the thread of signs of life reads, too.
pub struct Progress(Mutex<Stage>);

impl Progress {
    /// Says that the worker has got to a stage.
    pub fn reach(&self, stage: Stage) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = stage;
    }

    fn stage(&self) -> Stage {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a pool counts of its connections.
pub struct Counted {
    pub open: usize,
    pub idle: usize,
    pub created: usize,
}

/// A driver with its pool.
pub trait Stack: Send + Sync + 'static {
    /// Writes one row in a transaction.
    fn transact(
        &self,
        operation: i64,
        attempt: i32,
        progress: &Progress,
    ) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Returns what the pool counts.
    fn counted(&self) -> Counted;
}

/// Writes that the pool is open, and runs the workers, which never end.
pub async fn run(task: Task, stack: impl Stack, versions: &str) {
    let (task, stack) = (Arc::new(task), Arc::new(stack));
    let all: Vec<_> = (0..task.workers)
        .map(|_| Arc::new(Progress(Mutex::new(Stage::Nowhere))))
        .collect();
    let (seen, pool) = (all.clone(), stack.clone());
    lines::ready(versions, move || {
        let waiting = seen
            .iter()
            .filter(|one| one.stage() == Stage::Acquire)
            .count();
        let Counted {
            open,
            idle,
            created,
        } = pool.counted();
        json!({"waiting": waiting, "open": open, "idle": idle, "created": created})
    });
    let workers: Vec<_> = (0..)
        .zip(all)
        .map(|(worker, progress)| tokio::spawn(work(task.clone(), worker, stack.clone(), progress)))
        .collect();
    for worker in workers {
        let _ = worker.await;
    }
}

async fn work(task: Arc<Task>, worker: u32, stack: Arc<impl Stack>, progress: Arc<Progress>) {
    let (mut operation, mut attempt) = (i64::from(worker), 1);
    loop {
        progress.reach(Stage::Acquire);
        let start = lines::now();
        let result = stack.transact(operation, attempt, &progress).await;
        let stage = progress.stage();
        progress.reach(Stage::Nowhere);
        let mut line = json!({
            "event": "transaction", "n": operation, "worker": worker, "attempt": attempt,
            "start_us": start, "end_us": lines::now(), "outcome": "committed", "stage": stage.name(),
        });
        let committed = result.is_ok();
        if let Err(failure) = result {
            let doubtful = stage == Stage::Commit && !failure.answered;
            line["outcome"] = json!(if doubtful { "in_doubt" } else { "failed" });
            line["code"] = json!(failure.code);
            line["message"] = json!(failure.message);
        }
        lines::write(&line);
        if task.repeat && !committed {
            attempt += 1;
        } else {
            (operation, attempt) = (operation + i64::from(task.workers), 1);
        }
        sleep(Duration::from_millis(if committed {
            task.think_ms
        } else {
            task.pause_ms
        }))
        .await;
    }
}

/// Runs a part of a transaction with a deadline, if there is one. Past the deadline the part is dropped.
pub async fn bounded(
    patience: Option<Duration>,
    part: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    match patience {
        None => part.await,
        Some(patience) => timeout(patience, part).await?,
    }
}
