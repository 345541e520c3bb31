//! Steps: what the rate and the number of connections are at which time.

use super::arrivals::Piece;
use base::arguments::seconds;
use std::str::FromStr;
use std::time::Duration;

/// A value for good, or several one after the other: `1000` or `1000@10s,2000@10s`.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps<T>(Vec<(T, Option<Duration>)>);

impl<T: Copy + PartialOrd> Steps<T> {
    pub fn constant(value: T) -> Steps<T> {
        Steps(vec![(value, None)])
    }

    /// When the last step ends; None: never.
    fn total(&self) -> Option<Duration> {
        self.0.iter().map(|(_, length)| *length).sum()
    }

    pub fn has_steps(&self) -> bool {
        self.total().is_some()
    }

    pub fn first(&self) -> T {
        self.0[0].0
    }

    pub fn largest(&self) -> T {
        let first = self.0[0].0;
        let larger = |most, value| if value > most { value } else { most };
        self.0.iter().map(|(value, _)| *value).fold(first, larger)
    }

    fn ends(&self) -> Vec<u64> {
        let mut end = 0;
        let lengths = self.0.iter().filter_map(|(_, length)| *length);
        lengths
            .map(|length| {
                end += length.as_nanos() as u64;
                end
            })
            .collect()
    }

    fn at(&self, moment: u64) -> T {
        let position = self.ends().partition_point(|&end| end <= moment);
        self.0[position.min(self.0.len() - 1)].0
    }
}

impl<T: FromStr> FromStr for Steps<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Steps<T>, String> {
        let wrong = |part: &str| {
            format!(
                "'{part}' is not a step; expected N, or steps as N@TIME,N@TIME such as 10@5s,20@5s"
            )
        };
        let mut steps = Vec::new();
        for part in text.split(',') {
            let (value, length) = match part.split_once('@') {
                Some((value, length)) => (value, Some(seconds(length)?)),
                None => (part, None),
            };
            let value = value.trim().parse().map_err(|_| wrong(part))?;
            steps.push((value, length));
        }
        let timed = steps.iter().all(|(_, length)| length.is_some());
        if steps.len() > 1 && !timed {
            return Err("each step needs a duration, as in 10@5s,20@5s".to_string());
        }
        Ok(Steps(steps))
    }
}

/// Steps of a rate, per second.
pub fn rates(text: &str) -> Result<Steps<f64>, String> {
    let steps: Steps<f64> = text.parse()?;
    let sound = |rate: &f64| (0.0..=10_000_000.0).contains(rate);
    if !steps.0.iter().all(|(rate, _)| sound(rate)) || steps.largest() <= 0.0 {
        return Err("a rate must be above 0 and at most 10000000 per second".to_string());
    }
    Ok(steps)
}

/// Steps of a number of connections.
pub fn connections(text: &str) -> Result<Steps<u32>, String> {
    let steps: Steps<u32> = text.parse()?;
    if !steps
        .0
        .iter()
        .all(|(count, _)| (1..=100_000).contains(count))
    {
        return Err("the number of connections must be from 1 to 100000".to_string());
    }
    Ok(steps)
}

/// A time in which neither the rate nor the number of connections changes; nanoseconds from t = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    pub from_ns: u64,
    pub to_ns: u64,
    /// None: a closed loop.
    pub rate: Option<f64>,
    pub connections: u32,
}

/// The stages of a run in order, without gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct Timetable(pub Vec<Stage>);

const USUAL: Duration = Duration::from_secs(10);

impl Timetable {
    /// A stage begins wherever a step of either kind begins. The run ends with the shortest of what is given:
    /// steps of the rate, steps of the connections, the duration; without any of them after ten seconds.
    pub fn new(
        rates: Option<&Steps<f64>>,
        connections: &Steps<u32>,
        duration: Option<Duration>,
    ) -> Timetable {
        let rate_total = rates.and_then(Steps::total);
        let given = [duration, rate_total, connections.total()];
        let end = given.into_iter().flatten().min().unwrap_or(USUAL);
        let end = end.as_nanos() as u64;
        let mut ends = connections.ends();
        ends.extend(rates.map(Steps::ends).unwrap_or_default());
        ends.retain(|&at| at < end);
        ends.push(end);
        ends.sort_unstable();
        ends.dedup();
        let mut from_ns = 0;
        let stages = ends.into_iter().map(|to_ns| {
            let stage = Stage {
                from_ns,
                to_ns,
                rate: rates.map(|steps| steps.at(from_ns)),
                connections: connections.at(from_ns),
            };
            from_ns = to_ns;
            stage
        });
        Timetable(stages.collect())
    }

    /// The rate as a function of time; empty for a closed loop.
    pub fn pieces(&self) -> Vec<Piece> {
        let piece = |stage: &Stage| {
            stage.rate.map(|rate| Piece {
                from_ns: stage.from_ns,
                to_ns: stage.to_ns,
                rate,
            })
        };
        self.0.iter().filter_map(piece).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};

    fn table(
        rate: Option<&str>,
        connected: &str,
        duration: Option<u64>,
    ) -> Vec<(u64, Option<f64>, u32)> {
        let rate = rate.map(|text| rates(text).unwrap());
        let connected = connections(connected).unwrap();
        let duration = duration.map(Duration::from_secs);
        let table = Timetable::new(rate.as_ref(), &connected, duration);
        let line = |stage: &Stage| (stage.to_ns / 1_000_000_000, stage.rate, stage.connections);
        table.0.iter().map(line).collect()
    }

    #[test]
    fn one_stage_without_steps() {
        assert_eq!(table(None, "8", None), [(10, None, 8)]);
        assert_eq!(table(Some("50"), "8", Some(3)), [(3, Some(50.0), 8)]);
    }

    #[test]
    fn steps_of_both_kinds_are_merged() {
        assert_eq!(
            table(Some("1@10s,2@20s"), "8@5s,16@25s", None),
            [(5, Some(1.0), 8), (10, Some(1.0), 16), (30, Some(2.0), 16)]
        );
    }

    #[test]
    fn the_shortest_ends_the_run() {
        assert_eq!(
            table(Some("1@10s,2@10s"), "8", Some(12)),
            [(10, Some(1.0), 8), (12, Some(2.0), 8)]
        );
        assert_eq!(
            table(Some("1@10s,2@10s"), "8@5s", None),
            [(5, Some(1.0), 8)]
        );
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "", "x", "0", "-1", "1@", "1@0s", "1@5s,2", "1,2", "inf", "nan", "1e9", "0@5s",
        ] {
            assert!(rates(text).is_err(), "{text}");
        }
        for text in ["0", "1.5", "200000", "8@5s,0@5s"] {
            assert!(connections(text).is_err(), "{text}");
        }
        assert!(rates("100@5s,0@5s,100@5s").is_ok(), "a pause between steps");
    }

    proptest! {
        #[test]
        fn stages_have_no_gaps(
            rate in prop::collection::vec(1u64..9, 1..4), count in prop::collection::vec(1u64..9, 1..4),
        ) {
            let text = |lengths: &[u64]| {
                let steps: Vec<String> = lengths.iter().map(|s| format!("5@{s}s")).collect();
                steps.join(",")
            };
            let (rate, count) = (rates(&text(&rate)).unwrap(), connections(&text(&count)).unwrap());
            let table = Timetable::new(Some(&rate), &count, None);
            let mut at = 0;
            for stage in &table.0 {
                prop_assert_eq!(stage.from_ns, at);
                prop_assert!(stage.to_ns > at);
                at = stage.to_ns;
            }
            let shortest = rate.total().min(count.total()).unwrap();
            prop_assert_eq!(u128::from(at), shortest.as_nanos());
        }

        #[test]
        fn no_text_breaks_the_reader(text in "[0-9@,.smh e-]{0,20}") {
            if let Ok(steps) = rates(&text) {
                prop_assert!(steps.largest() > 0.0);
            }
        }
    }
}
