//! The controller's requests, as lines of JSON, and the answers:
//!
//! ```text
//! {"do": "set", "from": "w0", "to": "w1", "link": {"latency_us": 5000}}     {"ok": true}
//! {"do": "cut", "from": "w0", "to": "w1", "cut": true}                      {"ok": true}
//! {"do": "stats"}                                                   {"ok": true, "links": […], "ports": […]}
//! ```

use super::link::Counts;
use super::port::Port;
use super::spec::Spec;
use super::switch::Switch;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
enum Request {
    Set {
        from: String,
        to: String,
        link: Spec,
    },
    Cut {
        from: String,
        to: String,
        cut: bool,
    },
    Stats {},
}

#[derive(Serialize)]
struct LinkCounts<'a> {
    from: &'a str,
    to: &'a str,
    #[serde(flatten)]
    counts: &'a Counts,
}

/// Does what a line asks; the answer is a line without its end.
pub fn answer(line: &[u8], switch: &mut Switch, ports: &mut [Port], now: u64) -> String {
    let result = serde_json::from_slice(line)
        .map_err(|error| error.to_string())
        .and_then(|request| perform(request, switch, ports, now));
    match result {
        Ok(answer) => answer.to_string(),
        Err(error) => json!({"ok": false, "error": error}).to_string(),
    }
}

fn perform(
    request: Request,
    switch: &mut Switch,
    ports: &mut [Port],
    now: u64,
) -> Result<Value, String> {
    match request {
        Request::Set { from, to, link } => {
            if let Some(problem) = link.problem() {
                return Err(problem);
            }
            let (from, to) = pair(&from, &to, ports)?;
            switch.set(from, to, link, now);
        }
        Request::Cut { from, to, cut } => {
            let (from, to) = pair(&from, &to, ports)?;
            switch.cut(from, to, cut);
        }
        Request::Stats {} => return Ok(stats(switch, ports)),
    }
    Ok(json!({"ok": true}))
}

fn stats(switch: &Switch, ports: &mut [Port]) -> Value {
    let overruns: Vec<Value> = ports
        .iter_mut()
        .map(|port| json!({"port": port.name.clone(), "overrun": port.overrun()}))
        .collect();
    let links: Vec<LinkCounts> = switch
        .counts()
        .map(|(from, to, counts)| LinkCounts {
            from: &ports[from].name,
            to: &ports[to].name,
            counts,
        })
        .collect();
    json!({"ok": true, "links": links, "ports": overruns})
}

fn pair(from: &str, to: &str, ports: &[Port]) -> Result<(usize, usize), String> {
    let find = |name: &str| {
        ports
            .iter()
            .position(|port| port.name == name)
            .ok_or_else(|| format!("no port is called '{name}'"))
    };
    let (from, to) = (find(from)?, find(to)?);
    if from == to {
        return Err("a link leads from one port to another".into());
    }
    Ok((from, to))
}
