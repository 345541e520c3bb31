//! The program of the Rust client stacks: reads its task, starts the workers, ends with its input.

mod deadpool;
mod failure;
mod lines;
mod sqlx_pools;
mod task;
mod work;

use std::env;
use std::thread;

use task::Task;
use tokio::runtime;

type Opened = Result<(), String>;

const STACKS: [&str; 3] = ["tokio-postgres-deadpool", "sqlx-postgres", "sqlx-mysql"];

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let name = words.join(" ");
    if !STACKS.contains(&name.as_str()) {
        lines::fail(&format!("name one stack: {}", STACKS.join(", ")));
    }
    // libpq's variables, which sqlx reads, would add settings that the results do not show.
    for (variable, _) in env::vars_os() {
        if variable.to_string_lossy().starts_with("PG") {
            env::remove_var(variable);
        }
    }
    let task = Task::read().unwrap_or_else(|error| lines::fail(&error));
    thread::spawn(move || {
        let built = runtime::Builder::new_multi_thread().enable_all().build();
        let opened = built
            .map_err(|error| error.to_string())
            .and_then(|runtime| runtime.block_on(start(&name, task)));
        if let Err(error) = opened {
            lines::fail(&error);
        }
    });
    lines::live_until_the_end();
}

/// Opens the pool of a stack and runs its workers, which never end.
async fn start(name: &str, task: Task) -> Opened {
    match name {
        "tokio-postgres-deadpool" => deadpool::run(task).await,
        "sqlx-postgres" => sqlx_pools::run_postgres(task).await,
        _ => sqlx_pools::run_mysql(task).await,
    }
}
