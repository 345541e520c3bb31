//! `tokio-postgres-deadpool`: tokio-postgres with the pool deadpool-postgres.

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Hook, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::{Config, NoTls};

use crate::failure::{brief, Failure};
use crate::task::{version, Settings, Task};
use crate::work::{self, bounded, Counted, Progress, Stack, Stage};

struct Deadpool {
    pool: Pool,
    insert: String,
    patience: Option<Duration>,
    created: Arc<AtomicUsize>,
}

impl Stack for Deadpool {
    async fn transact(
        &self,
        operation: i64,
        attempt: i32,
        progress: &Progress,
    ) -> Result<(), Failure> {
        let mut client = self.pool.get().await?;
        progress.reach(Stage::Work);
        bounded(self.patience, async {
            let transaction = client.transaction().await?;
            let statement = transaction.prepare_cached(&self.insert).await?;
            transaction
                .execute(&statement, &[&operation, &attempt])
                .await?;
            progress.reach(Stage::Commit);
            transaction.commit().await?;
            progress.reach(Stage::Release);
            Ok(())
        })
        .await
    }

    fn counted(&self) -> Counted {
        let status = self.pool.status();
        Counted {
            open: status.size,
            idle: status.available,
            created: self.created.load(Ordering::Relaxed),
        }
    }
}

/// Opens the pool and runs the workers.
pub async fn run(task: Task) -> Result<(), String> {
    let (connect, mut own) = task.settings()?;
    let manager = Manager::from_config(
        account(&task, &connect)?,
        NoTls,
        ManagerConfig {
            recycling_method: recycling(&mut own)?,
        },
    );
    let patience = own.time("transaction_timeout")?;
    let size = own.number("max_size")?.unwrap_or(task.workers);
    let created = Arc::new(AtomicUsize::new(0));
    let pool = Pool::builder(manager)
        .post_create(counting(created.clone()))
        .max_size(size as usize)
        .wait_timeout(own.time("wait_timeout")?)
        .create_timeout(own.time("create_timeout")?)
        .recycle_timeout(own.time("recycle_timeout")?)
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(|error| brief(&error))?;
    own.finish()?;
    drop(pool.get().await.map_err(|error| brief(&error))?);
    let insert = format!(
        "INSERT INTO {} (n, attempt) VALUES ($1, $2) {}",
        task.table, task.suffix
    );
    let versions = format!(
        "tokio-postgres {}, deadpool-postgres {}",
        version("tokio-postgres"),
        version("deadpool-postgres")
    );
    work::run(
        task,
        Deadpool {
            pool,
            insert,
            patience,
            created,
        },
        &versions,
    )
    .await;
    Ok(())
}

/// Returns a hook that counts the connections that the pool has opened.
fn counting(created: Arc<AtomicUsize>) -> Hook {
    Hook::sync_fn(move |_, _| {
        created.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })
}

fn recycling(own: &mut Settings) -> Result<RecyclingMethod, String> {
    let methods = [
        ("fast", RecyclingMethod::Fast),
        ("verified", RecyclingMethod::Verified),
        ("clean", RecyclingMethod::Clean),
    ];
    Ok(own
        .choice("recycling_method", &methods)?
        .unwrap_or_default())
}

/// Returns account and settings; of several hosts the driver looks for the writable one.
fn account(task: &Task, connect: &Settings) -> Result<Config, String> {
    let mut text = String::new();
    for (name, value) in &connect.values {
        let quoted = value.replace('\\', r"\\").replace('\'', r"\'");
        let _ = write!(text, "{name}='{quoted}' ");
    }
    // It refuses names that it does not know.
    let mut config: Config = text
        .parse()
        .map_err(|error| format!("setting connect: {}", brief(&error)))?;
    let hosts = task.hosts()?;
    if hosts.len() > 1 && !connect.values.contains_key("target_session_attrs") {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
    for (host, port) in hosts {
        config.host(host).port(port);
    }
    config
        .user(&task.user)
        .password(&task.password)
        .dbname(&task.database);
    Ok(config)
}
