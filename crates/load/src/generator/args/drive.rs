//! The flags that say when transactions start and when the run ends.

use crate::schedule::arrivals::{Arrivals, Process};
use crate::schedule::search::Settings;
use crate::schedule::think::{Distribution, ThinkTime};
use crate::schedule::timetable::{self, Steps, Timetable};
use crate::schedule::work::Goal;
use crate::schedule::{Schedule, streams, student};
use anyhow::Result;
use base::arguments::{Usage, seconds};
use base::rng::Rng;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Default number of connections.
const CONNECTIONS: u32 = 8;

#[derive(Clone, clap::Args)]
pub struct DriveArgs {
    /// Number of connections, each running one transaction at a time; steps: 8@10s,16@10s. Default: 8.
    #[arg(long, value_name = "N", value_parser = timetable::connections)]
    pub connections: Option<Steps<u32>>,
    /// Duration of the run. Default: the sum of the steps, otherwise ten seconds.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub duration: Option<Duration>,
    /// Fixed work: end after N transactions of all connections together. A closed loop replaces failed
    /// transactions; with --rate, N transactions start.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub transactions: Option<u64>,
    /// Fixed work: end after N transactions of each connection.
    #[arg(long, value_name = "N", conflicts_with_all = ["transactions", "rate", "search"],
          value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub transactions_each: Option<u64>,
    /// Start counting the fixed work this long after the start of the load.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub work_after: Option<Duration>,
    /// Transactions per second, started on schedule (open loop); steps: 1000@10s,2000@10s. Response times count
    /// from the scheduled start, including the wait for a free connection.
    #[arg(long, value_name = "RATE", value_parser = timetable::rates)]
    pub rate: Option<Steps<f64>>,
    /// Distribution of the start times, with --rate or --search.
    #[arg(long, value_enum, default_value = "constant")]
    pub arrivals: Process,
    /// Pause of a connection between transactions (think time, closed loop).
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub think_time: Option<Duration>,
    /// Distribution of think times around their mean.
    #[arg(long, value_enum, default_value = "constant")]
    pub think_distribution: Distribution,
    /// Open all connections at t = 0, to measure connecting.
    #[arg(long)]
    pub burst: bool,
    /// Open all new connections of a step at once (connection storm).
    #[arg(long, conflicts_with_all = ["burst", "search", "windows"])]
    pub storm: bool,
    /// Run only in the time windows of this file, alternating with other loads (closed loop). Lines: FROM MEASURED
    /// TO, in nanoseconds of CLOCK_MONOTONIC; the measurement starts at MEASURED. The file can appear later; the
    /// load ends with its last window, or after --duration.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rate", "transactions", "transactions_each", "burst", "search"])]
    pub windows: Option<PathBuf>,
    /// Search the highest rate that meets a latency limit: p50, p95, p99, p99.9 or mean, such as p99=20ms.
    #[arg(long, value_name = "BOUND", conflicts_with_all = ["rate", "transactions", "think_time", "burst"])]
    pub search: Option<Bound>,
    /// Measuring time of each rate in a search, after a warm-up of a fifth of it.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "5s")]
    pub search_window: Duration,
    /// End a search when the lowest failing rate is this close to the highest passing rate.
    #[arg(long, value_name = "PERCENT", value_parser = precision, default_value = "5")]
    pub search_precision: f64,
    /// Number of independent bisections of a search; their spread gives the confidence interval.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=i64::from(student::MOST)))]
    pub search_repeats: u32,
    /// First rate of a search. Default: ten per connection.
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub search_from: Option<f64>,
}

/// The statistic that a search's limit applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Mean,
    P50,
    P95,
    P99,
    P999,
}

impl Measure {
    const ALL: [Measure; 5] = [
        Measure::Mean,
        Measure::P50,
        Measure::P95,
        Measure::P99,
        Measure::P999,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Measure::Mean => "mean",
            Measure::P50 => "p50",
            Measure::P95 => "p95",
            Measure::P99 => "p99",
            Measure::P999 => "p99.9",
        }
    }
}

/// The response time limit of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    pub measure: Measure,
    pub milliseconds: f64,
}

impl FromStr for Bound {
    type Err = String;

    fn from_str(text: &str) -> Result<Bound, String> {
        let wrong =
            || "expected a bound such as p99=20ms; of mean, p50, p95, p99, p99.9".to_string();
        let (name, time) = text.split_once('=').ok_or_else(wrong)?;
        let measure = Measure::ALL
            .into_iter()
            .find(|measure| measure.name() == name);
        Ok(Bound {
            measure: measure.ok_or_else(wrong)?,
            milliseconds: seconds(time)?.as_secs_f64() * 1000.0,
        })
    }
}

impl DriveArgs {
    pub fn check(&self) -> Result<()> {
        let open = self.rate.is_some() || self.search.is_some();
        let wrong = [
            (
                open && self.think_time.is_some(),
                "--think-time: with a rate, starts do not wait for users; give one of the two",
            ),
            (
                !open && self.arrivals != Process::Constant,
                "--arrivals: starts are spread in time only with --rate or --search",
            ),
            (
                self.think_time.is_none() && self.think_distribution != Distribution::Constant,
                "--think-distribution: there is no --think-time",
            ),
            (
                self.search.is_some() && self.connections().has_steps(),
                "--search: the number of connections cannot change during a search",
            ),
            (
                self.windows.is_some() && self.connections().has_steps(),
                "--windows: the number of connections cannot change between windows",
            ),
            (
                self.transactions_each.is_some() && self.connections().has_steps(),
                "--transactions-each: the number of connections cannot change; give --transactions",
            ),
            (
                self.work_after.is_some() && (!self.has_goal() || open),
                "--work-after: it is for --transactions or --transactions-each in a closed loop",
            ),
            (
                self.storm && !self.connections().has_steps(),
                "--storm: the number of connections must rise, as in --connections 8@10s,64@10s",
            ),
        ];
        match wrong.iter().find(|(found, _)| *found) {
            Some((_, message)) => Err(Usage::error(*message)),
            None => Ok(()),
        }
    }

    fn connections(&self) -> Steps<u32> {
        let usual = || Steps::constant(CONNECTIONS);
        self.connections.clone().unwrap_or_else(usual)
    }

    pub fn timetable(&self) -> Timetable {
        Timetable::new(self.rate.as_ref(), &self.connections(), self.duration)
    }

    /// Maximum number of connections.
    pub fn most_connections(&self) -> u32 {
        self.connections().largest()
    }

    pub fn think(&self) -> Option<ThinkTime> {
        self.think_time.map(|mean| ThinkTime {
            mean,
            distribution: self.think_distribution,
        })
    }

    fn has_goal(&self) -> bool {
        self.transactions.is_some() || self.transactions_each.is_some()
    }

    /// Conditions that end the load early; `by_workload`: the workload itself ends.
    pub fn goal(&self, by_workload: bool) -> Option<Goal> {
        let asked = match (self.transactions, self.transactions_each) {
            (Some(count), _) => Some(Goal::Together(count)),
            (None, Some(count)) => Some(Goal::Each(count)),
            (None, None) => None,
        };
        asked.or(by_workload.then_some(Goal::Workload))
    }

    pub fn schedule(&self, seed: u64, goal: Option<Goal>) -> Schedule {
        let connections = self.most_connections() as usize;
        if self.search.is_some() {
            return Schedule::open(Arrivals::none(), connections);
        }
        let pieces = self.timetable().pieces();
        if pieces.is_empty() {
            let warmup = self.work_after.unwrap_or_default();
            return Schedule::closed(goal, connections, warmup.as_nanos() as u64);
        }
        let rng = Rng::new(seed, streams::ARRIVALS);
        let arrivals = Arrivals::new(&pieces, self.arrivals, rng, self.transactions);
        Schedule::open(arrivals, connections)
    }

    pub fn search_settings(&self) -> Settings {
        let usual = 10.0 * f64::from(self.most_connections());
        Settings {
            from: self.search_from.unwrap_or(usual),
            precision: self.search_precision,
            repeats: self.search_repeats,
        }
    }
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate <= 10_000_000.0 => Ok(rate),
        _ => Err("expected a rate per second, above 0 and at most 10000000".to_string()),
    }
}

/// A share above 0, given in percent with or without the sign.
fn precision(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').parse::<f64>() {
        Ok(value) if (0.1..=50.0).contains(&value) => Ok(value / 100.0),
        _ => Err("expected a percentage from 0.1 to 50".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: DriveArgs,
    }

    fn problem(flags: &[&str]) -> Option<String> {
        let line = ["load"].into_iter().chain(flags.iter().copied());
        let args = Line::try_parse_from(line).map_err(|error| error.to_string());
        match args {
            Err(message) => Some(message),
            Ok(line) => line.args.check().err().map(|error| error.to_string()),
        }
    }

    #[test]
    fn bounds_have_a_measure_and_a_time() {
        let bound: Bound = "p99.9=1.5s".parse().unwrap();
        assert_eq!((bound.measure, bound.milliseconds), (Measure::P999, 1500.0));
        for text in ["p99", "p98=1s", "p99=", "=1s", "p99=0"] {
            assert!(text.parse::<Bound>().is_err(), "{text}");
        }
    }

    #[test]
    fn flags_that_contradict_each_other_are_refused() {
        assert_eq!(problem(&["--rate=100", "--arrivals=poisson"]), None);
        assert_eq!(
            problem(&["--think-time=1s", "--think-distribution=exponential"]),
            None
        );
        assert_eq!(problem(&["--search=p99=20ms", "--connections=64"]), None);
        let each = "--transactions-each=5";
        assert_eq!(problem(&[each, "--work-after=1s"]), None);
        assert_eq!(problem(&["--connections=8@1s,9@1s", "--storm"]), None);
        let wrong: [&[&str]; 13] = [
            &["--rate=100", "--think-time=1s"],
            &["--arrivals=poisson"],
            &["--think-distribution=exponential"],
            &["--search=p99=20ms", "--rate=5"],
            &["--search=p99=20ms", "--connections=8@1s,9@1s"],
            &["--search=p99=20ms", "--transactions=5"],
            &["--search=p99=20ms", "--search-repeats=11"],
            &[each, "--connections=8@1s,9@1s"],
            &[each, "--transactions=5"],
            &[each, "--rate=5"],
            &["--work-after=1s"],
            &["--transactions=5", "--rate=5", "--work-after=1s"],
            &["--storm"],
        ];
        for flags in wrong {
            assert!(problem(flags).is_some(), "{flags:?}");
        }
    }
}
