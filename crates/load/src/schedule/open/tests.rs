use super::super::arrivals::{Piece, Process};
use super::*;
use base::rng::Rng;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const MS: u64 = 1_000_000;

fn arrivals(rate: f64, milliseconds: u64, process: Process, seed: u64) -> Arrivals {
    let piece = Piece {
        from_ns: 0,
        to_ns: milliseconds * MS,
        rate,
    };
    Arrivals::new(&[piece], process, Rng::new(seed, 0), None)
}

#[test]
fn a_free_connection_gets_the_next_arrival_and_the_others_wait() {
    let mut open = Open::new(arrivals(1000.0, 10, Process::Constant, 0), 2);
    open.begin(100 * MS);
    assert_eq!(open.ask(0, 99 * MS), None, "t = 0 is still to come");
    assert_eq!(open.next_due(), Some(100 * MS));
    assert_eq!(open.due(100 * MS), Some((0, 100 * MS)));
    assert_eq!(open.due(103 * MS), None, "no connection is free");
    assert_eq!(open.backlog(103 * MS), 3);
    assert_eq!(open.ask(1, 103 * MS), Some(101 * MS), "the oldest first");
    assert_eq!(open.backlog(103 * MS), 2);
    assert_eq!(open.next_due(), None);
    let counts = open.counts();
    assert_eq!(
        (counts.arrived, counts.started, counts.backlog_max),
        (4, 2, 3)
    );
}

#[test]
fn connections_take_turns() {
    let mut open = Open::new(arrivals(1000.0, 10, Process::Constant, 0), 3);
    open.begin(0);
    for connection in 0..3 {
        open.leave(connection);
    }
    assert_eq!(
        open.ask(2, 0),
        Some(0),
        "no other connection is free and it is due"
    );
    for connection in [1, 0, 2] {
        assert_eq!(open.ask(connection, 0), None);
    }
    open.leave(0);
    assert_eq!(open.due(MS), Some((1, MS)));
    assert_eq!(open.due(2 * MS), Some((2, 2 * MS)));
}

#[test]
fn what_is_given_back_comes_first_and_keeps_its_intended_start() {
    let mut open = Open::new(arrivals(1000.0, 10, Process::Constant, 0), 2);
    open.begin(0);
    assert_eq!(open.ask(0, 5 * MS), Some(0));
    open.give_back(0);
    assert_eq!(open.backlog(5 * MS), 6);
    assert_eq!(open.ask(1, 5 * MS), Some(0));
    assert_eq!(open.ask(0, 5 * MS), Some(MS));
}

#[test]
fn other_arrivals_leave_a_count_of_what_waited() {
    let mut open = Open::new(arrivals(1000.0, 10, Process::Constant, 0), 1);
    open.begin(0);
    assert_eq!(open.ask(0, 4 * MS), Some(0));
    open.replace(arrivals(500.0, 4, Process::Constant, 0), 20 * MS);
    assert_eq!(open.counts().abandoned, 9);
    assert_eq!(open.ask(0, 20 * MS), Some(20 * MS));
    assert_eq!(open.backlog(30 * MS), 1);
    assert_eq!(open.counts().arrived, 12);
}

#[test]
fn nothing_starts_before_the_beginning_or_after_the_end() {
    let piece = Piece {
        from_ns: 0,
        to_ns: 10 * MS,
        rate: 1000.0,
    };
    let three = Arrivals::new(&[piece], Process::Constant, Rng::new(0, 0), Some(3));
    let mut open = Open::new(three, 2);
    assert_eq!((open.ask(0, 50), open.due(50)), (None, None));
    open.begin(100);
    assert_eq!(open.due(100), Some((0, 100)));
    open.close(100 + MS);
    assert_eq!(
        (open.ask(0, 9 * MS), open.due(9 * MS), open.next_due()),
        (None, None, None)
    );
    assert_eq!(open.backlog(9 * MS), 1, "the third had not come");
    assert!(!open.is_exhausted());
}

#[test]
fn a_bounded_number_is_used_up() {
    let piece = Piece {
        from_ns: 0,
        to_ns: 10 * MS,
        rate: 1000.0,
    };
    let two = Arrivals::new(&[piece], Process::Constant, Rng::new(0, 0), Some(2));
    let mut open = Open::new(two, 1);
    open.begin(0);
    assert_eq!(open.ask(0, 5 * MS), Some(0));
    assert_eq!(open.ask(0, 5 * MS), Some(MS));
    assert!(open.is_exhausted());
    open.give_back(MS);
    assert!(!open.is_exhausted());
}

/// What a simulated service did: intended starts in the order of their true starts.
struct Played {
    open: Open,
    starts: Vec<(u64, u64)>,
}

/// Connections serve arrivals for random times; between `dead.0` and `dead.1` no connection is free.
fn play(connections: usize, mut open: Open, seed: u64, dead: (u64, u64)) -> Played {
    let mut rng = Rng::new(seed, 1);
    let mut busy: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let mut starts = Vec::new();
    let mut now = 0;
    let mut serve = |connection, intended, now: u64, busy: &mut BinaryHeap<_>| {
        starts.push((intended, now));
        let mut until = now + u64::from(rng.uniform(1, 3_000_000));
        if (dead.0..dead.1).contains(&until) {
            until = dead.1;
        }
        busy.push(Reverse((until, connection)));
    };
    open.begin(0);
    for connection in 0..connections {
        if let Some(intended) = open.ask(connection, 0) {
            serve(connection, intended, 0, &mut busy);
        }
    }
    loop {
        while let Some((connection, intended)) = open.due(now) {
            serve(connection, intended, now, &mut busy);
        }
        let answered = busy.peek().map(|Reverse((at, _))| *at);
        now = match (answered, open.next_due()) {
            (None, None) => break,
            (answered, due) => answered.unwrap_or(u64::MAX).min(due.unwrap_or(u64::MAX)),
        };
        if answered == Some(now)
            && let Some(Reverse((_, connection))) = busy.pop()
            && let Some(intended) = open.ask(connection, now)
        {
            serve(connection, intended, now, &mut busy);
        }
    }
    Played { open, starts }
}

proptest! {
    #[test]
    fn nothing_is_dropped_doubled_or_early(
        connections in 1usize..6, rate in 1.0f64..5000.0, seed in any::<u64>(), poisson in any::<bool>(),
        dead in (0..200 * MS, 0..200 * MS),
    ) {
        let process = if poisson { Process::Poisson } else { Process::Constant };
        let intended: Vec<u64> = arrivals(rate, 200, process, seed).collect();
        let open = Open::new(arrivals(rate, 200, process, seed), connections);
        let mut played = play(connections, open, seed, dead);
        let starts: Vec<u64> = played.starts.iter().map(|start| start.0).collect();
        prop_assert_eq!(&starts, &intended, "all, once, in order");
        prop_assert!(played.starts.iter().all(|(intended, started)| started >= intended));
        prop_assert_eq!(played.open.backlog(u64::MAX - 1), 0);
        let counts = played.open.counts();
        prop_assert_eq!((counts.arrived, counts.started), (intended.len() as u64, intended.len() as u64));
    }

    #[test]
    fn arrivals_are_started_or_wait(rate in 1.0f64..5000.0, until in 0..300 * MS, taken in 0usize..50) {
        let mut open = Open::new(arrivals(rate, 200, Process::Constant, 0), 1);
        open.begin(0);
        for _ in 0..taken {
            if open.ask(0, until).is_none() {
                break;
            }
        }
        let waiting = open.backlog(until);
        let come = arrivals(rate, 200, Process::Constant, 0).filter(|&at| at <= until).count() as u64;
        let counts = open.counts();
        prop_assert_eq!(counts.arrived, come);
        prop_assert_eq!(counts.started + waiting, come);
    }
}
