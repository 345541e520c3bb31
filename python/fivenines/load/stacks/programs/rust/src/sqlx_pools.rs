//! `sqlx-postgres` and `sqlx-mysql`: sqlx with its own pool.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use sqlx::mysql::MySqlConnectOptions;
use sqlx::pool::{PoolConnection, PoolOptions};
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, Database, Encode, Executor, IntoArguments, MySql, Pool, Postgres, Type};

use crate::failure::{brief, Failure};
use crate::task::{version, Settings, Task};
use crate::work::{self, bounded, Counted, Progress, Stack, Stage};

struct Sqlx<Server: Database> {
    pool: Pool<Server>,
    insert: String,
    patience: Option<Duration>,
    destroy: bool,
    created: Arc<AtomicUsize>,
}

impl<Server: Database> Stack for Sqlx<Server>
where
    for<'c> &'c mut Server::Connection: Executor<'c, Database = Server>,
    for<'q> Server::Arguments<'q>: IntoArguments<'q, Server>,
    i64: for<'q> Encode<'q, Server> + Type<Server>,
    i32: for<'q> Encode<'q, Server> + Type<Server>,
{
    async fn transact(
        &self,
        operation: i64,
        attempt: i32,
        progress: &Progress,
    ) -> Result<(), Failure> {
        let mut connection: PoolConnection<Server> = self.pool.acquire().await?;
        progress.reach(Stage::Work);
        let result = bounded(self.patience, async {
            let mut transaction = Connection::begin(&mut *connection).await?;
            sqlx::query(&self.insert)
                .bind(operation)
                .bind(attempt)
                .execute(&mut *transaction)
                .await?;
            progress.reach(Stage::Commit);
            transaction.commit().await?;
            progress.reach(Stage::Release);
            Ok(())
        })
        .await;
        if result.is_err() && self.destroy {
            connection.close_on_drop();
        }
        result
    }

    fn counted(&self) -> Counted {
        Counted {
            open: self.pool.size() as usize,
            idle: self.pool.num_idle(),
            created: self.created.load(Ordering::Relaxed),
        }
    }
}

/// Opens the pool of `sqlx-postgres` and runs the workers.
pub async fn run_postgres(task: Task) -> Result<(), String> {
    let (mut connect, own) = task.settings()?;
    let (host, port) = task.hosts()?.remove(0);
    let mut options = PgConnectOptions::new_without_pgpass()
        .host(&host)
        .port(port)
        .username(&task.user)
        .password(&task.password)
        .database(&task.database);
    if let Some(name) = connect.text("application_name") {
        options = options.application_name(&name);
    }
    if let Some(number) = connect.number("statement_cache_capacity")? {
        options = options.statement_cache_capacity(number as usize);
    }
    connect.finish()?;
    run::<Postgres>(task, own, options, "$1, $2").await
}

/// Opens the pool of `sqlx-mysql` and runs the workers.
pub async fn run_mysql(task: Task) -> Result<(), String> {
    let (mut connect, own) = task.settings()?;
    let (host, port) = task.hosts()?.remove(0);
    let mut options = MySqlConnectOptions::new()
        .host(&host)
        .port(port)
        .username(&task.user)
        .password(&task.password)
        .database(&task.database);
    if let Some(name) = connect.text("charset") {
        options = options.charset(&name);
    }
    if let Some(number) = connect.number("statement_cache_capacity")? {
        options = options.statement_cache_capacity(number as usize);
    }
    connect.finish()?;
    run::<MySql>(task, own, options, "?, ?").await
}

async fn run<Server: Database>(
    task: Task,
    mut own: Settings,
    account: <Server::Connection as Connection>::Options,
    places: &str,
) -> Result<(), String>
where
    Sqlx<Server>: Stack,
{
    let patience = own.time("transaction_timeout")?;
    let destroy = own.switch("destroy_failed")?.unwrap_or(false);
    let options = sized(&mut own, task.workers)?;
    own.finish()?;
    let created = Arc::new(AtomicUsize::new(0));
    let counter = created.clone();
    let options = options.after_connect(move |_, _| {
        counter.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { Ok(()) })
    });
    let pool = options
        .connect_with(account)
        .await
        .map_err(|error| brief(&error))?;
    let insert = format!(
        "INSERT INTO {} (n, attempt) VALUES ({places}) {}",
        task.table, task.suffix
    );
    let versions = format!("sqlx {}", version("sqlx"));
    work::run(
        task,
        Sqlx {
            pool,
            insert,
            patience,
            destroy,
            created,
        },
        &versions,
    )
    .await;
    Ok(())
}

/// Hands the settings of the pool to it.
fn sized<Server: Database>(
    own: &mut Settings,
    workers: u32,
) -> Result<PoolOptions<Server>, String> {
    let mut options =
        PoolOptions::new().max_connections(own.number("max_connections")?.unwrap_or(workers));
    if let Some(number) = own.number("min_connections")? {
        options = options.min_connections(number);
    }
    if let Some(time) = own.time("acquire_timeout")? {
        options = options.acquire_timeout(time);
    }
    if let Some(time) = own.time("idle_timeout")? {
        options = options.idle_timeout(time);
    }
    if let Some(time) = own.time("max_lifetime")? {
        options = options.max_lifetime(time);
    }
    if let Some(test) = own.switch("test_before_acquire")? {
        options = options.test_before_acquire(test);
    }
    Ok(options)
}
