//! The workers, which write one row after the other.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::failure::Failure;
use crate::lines;
use crate::task::Task;

/// How far a transaction has got.
#[derive(Clone, Copy, PartialEq)]
pub enum Stage {
    Acquire,
    Work,
    Commit,
    Release,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Stage::Acquire => "acquire",
            Stage::Work => "work",
            Stage::Commit => "commit",
            Stage::Release => "release",
        }
    }
}

/// A driver with its pool.
pub trait Stack: Send + Sync + 'static {
    /// Writes one row in a transaction.
    fn transact(
        &self,
        operation: i64,
        attempt: i32,
        stage: &mut Stage,
    ) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// Writes that the pool is open, and runs the workers, which never end.
pub async fn run(task: Task, stack: impl Stack, versions: &str) {
    lines::write(&json!({"event": "ready", "at_us": lines::now(), "driver": versions}));
    let (task, stack) = (Arc::new(task), Arc::new(stack));
    let workers: Vec<_> = (0..task.workers)
        .map(|worker| tokio::spawn(work(task.clone(), worker, stack.clone())))
        .collect();
    for worker in workers {
        let _ = worker.await;
    }
}

async fn work(task: Arc<Task>, worker: u32, stack: Arc<impl Stack>) {
    let (mut operation, mut attempt) = (i64::from(worker), 1);
    loop {
        let (start, mut stage) = (lines::now(), Stage::Acquire);
        let result = stack.transact(operation, attempt, &mut stage).await;
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
