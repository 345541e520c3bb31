//! Was it the client that limited the result? If so, how, in words that need no knowledge of the program.

use super::lag;
use base::sys::Usage;
use serde::Serialize;
use workloads::HeldUp;

/// One thread that uses this share of a processor has no room for more.
const BUSY_SHARE: f64 = 0.9;
/// The wait for a processor matters from here on, at the 99th percentile of what responses contain of it,
const WAITED_LEAST_MS: f64 = 1.0;
/// if it is this share of the 99th percentile of the response times.
const WAITED_SHARE: f64 = 0.1;
/// A script that keeps all connections waiting for this share of the time.
const HELD_UP_SHARE: f64 = 0.01;
/// Later than this, at the 99th percentile, and the load was not the one that was asked for.
const LATE_US: u64 = 10_000;
/// Less lateness than this never matters.
const LATE_LEAST_US: u64 = 1_000;
/// Lateness that makes up this share of the response times makes them the client's.
const LATE_SHARE: f64 = 0.5;

/// What the client felt, over the run or a part of it.
#[derive(Clone, Debug, Default)]
pub struct Symptoms {
    pub wall_s: f64,
    pub used: Usage,
    /// Of the event loop, at its timers.
    pub loop_lag: Option<lag::Quantiles>,
    /// Of transactions for which a connection was free.
    pub schedule_lag: Option<lag::Quantiles>,
    /// The 99th percentile of the response times.
    pub latency_p99_ms: Option<f64>,
    /// How much of a response time was the client's wait for a processor, or its lateness: 99th percentile.
    pub waited_p99_ms: Option<f64>,
    /// What the machine had no more of, for example descriptors.
    pub exhausted: Option<String>,
    pub held_up: Option<HeldUp>,
}

/// One way in which the client limited the result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// `held_up`, `busy` and `exhausted` are its own; `waited`, `late_starts` and `late_timers` may be those of a machine
    /// that others use, too, so that who reads them can ask who that was.
    pub kind: &'static str,
    pub text: String,
}

/// None: the client did not limit the result, as far as it can tell.
pub fn limit(symptoms: &Symptoms) -> Option<String> {
    let found: Vec<String> = limits(symptoms).into_iter().map(|one| one.text).collect();
    (!found.is_empty()).then(|| found.join(" "))
}

pub fn limits(symptoms: &Symptoms) -> Vec<Limit> {
    [
        ("held_up", held_up(symptoms)),
        ("busy", busy(symptoms)),
        ("waited", waited(symptoms)),
        ("late_starts", late_starts(symptoms)),
        ("late_timers", late_loop(symptoms)),
        ("exhausted", symptoms.exhausted.clone()),
    ]
    .into_iter()
    .filter_map(|(kind, text)| text.map(|text| Limit { kind, text }))
    .collect()
}

/// A script that takes its time keeps all connections waiting.
fn held_up(symptoms: &Symptoms) -> Option<String> {
    let held_up = symptoms.held_up.as_ref()?;
    let total_s = held_up.total_ns as f64 / 1e9;
    let by = match held_up.by.is_empty() {
        true => "its own work between statements".to_string(),
        false => held_up.by.join(", "),
    };
    (total_s >= HELD_UP_SHARE * symptoms.wall_s).then(|| {
        format!(
            "{} itself took {total_s:.1} s of {:.1} s ({} stretches of 20 ms and more, the longest {:.0} ms; {by}), \
             and all connections waited meanwhile: use --think-time, or functions that sleep (usleep), for pauses.",
            held_up.script,
            symptoms.wall_s,
            held_up.count,
            held_up.longest_ns as f64 / 1e6,
        )
    })
}

/// The thread has no room for more.
pub fn busy(symptoms: &Symptoms) -> Option<String> {
    let share = (symptoms.used.user_s + symptoms.used.system_s) / symptoms.wall_s;
    (share >= BUSY_SHARE).then(|| {
        format!(
            "The load generator used {:.0} % of a processor, and its one thread cannot use more than one: \
             the server may be able to do more.",
            share * 100.0
        )
    })
}

/// How long the client had no processor says little: it is the part of it within responses that is wrong.
fn waited(symptoms: &Symptoms) -> Option<String> {
    let within = symptoms.waited_p99_ms?;
    let p99 = symptoms.latency_p99_ms?;
    (within >= WAITED_LEAST_MS && within >= WAITED_SHARE * p99).then(|| {
        format!(
            "The load generator was ready to work but had no processor for {:.1} s of {:.1} s, which other \
             programs on its machine used (the server, if it is there): 99 % of the response times contain at \
             most {within:.1} ms of it (their 99th percentile is {p99:.1} ms).",
            symptoms.used.run_queue_s, symptoms.wall_s
        )
    })
}

fn late_starts(symptoms: &Symptoms) -> Option<String> {
    let p99 = symptoms.schedule_lag?.p99;
    let of_latency =
        p99 as f64 / 1000.0 >= LATE_SHARE * symptoms.latency_p99_ms.unwrap_or(f64::MAX);
    (p99 > LATE_US || p99 >= LATE_LEAST_US && of_latency).then(|| {
        format!(
            "The load generator kept its schedule badly: transactions started {:.1} ms late (99th percentile) \
             although a connection was free.",
            p99 as f64 / 1000.0
        )
    })
}

fn late_loop(symptoms: &Symptoms) -> Option<String> {
    let p99 = symptoms.loop_lag?.p99;
    (p99 > LATE_US).then(|| {
        format!(
            "The load generator came {:.1} ms late to its timers (99th percentile): replies waited as long \
             before they were seen.",
            p99 as f64 / 1000.0
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn healthy() -> Symptoms {
        let lag = Some(lag::Quantiles {
            p50: 50,
            p99: 300,
            max: 2000,
        });
        Symptoms {
            wall_s: 10.0,
            used: Usage {
                user_s: 2.0,
                system_s: 3.0,
                run_queue_s: 0.5,
                ..Usage::default()
            },
            loop_lag: lag,
            schedule_lag: lag,
            latency_p99_ms: Some(2.0),
            waited_p99_ms: Some(0.5),
            exhausted: None,
            held_up: None,
        }
    }

    fn late(p99: u64) -> Option<lag::Quantiles> {
        Some(lag::Quantiles {
            p50: 1,
            p99,
            max: p99,
        })
    }

    #[test]
    fn a_healthy_client_is_no_limit() {
        assert_eq!(limit(&healthy()), None);
    }

    #[test]
    fn every_symptom_has_its_sentence() {
        let mut busy = healthy();
        busy.used.system_s = 7.5;
        let queued = Symptoms {
            waited_p99_ms: Some(1.2),
            ..healthy()
        };
        let with = |schedule, inside, exhausted: Option<&str>| Symptoms {
            schedule_lag: schedule,
            loop_lag: inside,
            exhausted: exhausted.map(String::from),
            ..healthy()
        };
        let cases = [
            (busy, "95 % of a processor"),
            (queued, "at most 1.2 ms of it"),
            (with(late(1500), None, None), "1.5 ms late"),
            (with(None, late(12_000), None), "12.0 ms late to its timers"),
            (with(None, None, Some("No ports.")), "No ports."),
        ];
        for (symptoms, words) in cases {
            let sentence = limit(&symptoms).unwrap();
            assert!(sentence.contains(words), "{sentence}");
        }
    }

    #[test]
    fn a_wait_that_responses_do_not_contain_does_not_matter() {
        let mut waited = healthy();
        waited.used.run_queue_s = 5.0;
        assert_eq!(limits(&waited), []);
        let slow_server = Symptoms {
            latency_p99_ms: Some(40.0),
            waited_p99_ms: Some(3.0),
            ..healthy()
        };
        assert_eq!(limits(&slow_server), []);
        waited.waited_p99_ms = Some(1.0);
        let kinds: Vec<_> = limits(&waited).iter().map(|one| one.kind).collect();
        assert_eq!(kinds, ["waited"]);
    }

    #[test]
    fn lateness_matters_in_proportion_to_response_times() {
        let slow_server = Symptoms {
            schedule_lag: late(1500),
            latency_p99_ms: Some(40.0),
            ..healthy()
        };
        assert_eq!(limit(&slow_server), None);
    }
}
