use super::*;
use base::rng::Rng;
use proptest::prelude::{Strategy, prop, prop_assert, prop_assert_eq, proptest};

const MS: u64 = 1_000_000;

fn link(spec: Spec) -> Link {
    let mut link = Link::new(Rng::new(7, 0));
    link.set(spec, 0);
    link
}

fn frame(bytes: u64) -> Wire {
    Wire { frames: 1, bytes }
}

#[test]
fn without_settings_a_frame_is_there_at_once() {
    assert_eq!(link(Spec::default()).admit(frame(1500), 5), Some(5));
}

#[test]
fn latency_is_added_to_the_time_on_the_wire() {
    let spec = Spec {
        latency_us: 50_000,
        bandwidth: Some(1_000_000),
        ..Spec::default()
    };
    let mut link = link(spec);
    assert_eq!(link.admit(frame(1250), 0), Some(60 * MS));
    assert_eq!(link.admit(frame(1250), 0), Some(70 * MS));
    assert_eq!(link.admit(frame(1250), 100 * MS), Some(160 * MS));
}

#[test]
fn the_queue_is_as_long_as_its_time() {
    let spec = Spec {
        bandwidth: Some(1_000_000),
        queue_us: Some(20_000),
        ..Spec::default()
    };
    let mut link = link(spec);
    let admitted = (0..10)
        .filter(|_| link.admit(frame(1250), 0).is_some())
        .count();
    assert_eq!(admitted, 3, "one on the wire, two that wait 10 and 20 ms");
    assert_eq!(link.counts.dropped_queue, 7);
}

#[test]
fn a_cut_loses_what_is_under_way() {
    let mut link = link(Spec {
        latency_us: 1000,
        ..Spec::default()
    });
    let due = link.admit(frame(100), 0).unwrap();
    link.hold(&[1], frame(100), due);
    link.cut(true);
    assert_eq!(link.admit(frame(100), 0), None);
    assert!(link.take_due(due).is_none());
    assert_eq!(link.counts.dropped_cut, 2);
    link.cut(false);
    assert!(link.admit(frame(100), 0).is_some());
}

#[test]
fn a_shorter_latency_does_not_let_frames_overtake() {
    let mut link = link(Spec {
        latency_us: 5000,
        ..Spec::default()
    });
    let first = link.admit(frame(100), 0).unwrap();
    link.set(Spec::default(), MS);
    assert_eq!(link.admit(frame(100), MS), Some(first));
    assert_eq!(link.admit(frame(100), 6 * MS), Some(6 * MS));
}

#[test]
fn a_larger_bandwidth_counts_at_once() {
    let slow = Spec {
        bandwidth: Some(8000),
        queue_us: Some(9_000_000),
        ..Spec::default()
    };
    let mut link = link(slow);
    link.admit(frame(1000), 0);
    link.set(
        Spec {
            bandwidth: Some(8_000_000),
            ..Spec::default()
        },
        MS,
    );
    assert_eq!(
        link.admit(frame(1000), MS),
        Some(1000 * MS),
        "in order behind the slow one"
    );
    assert_eq!(link.counts, Counts::default());
}

#[test]
fn all_or_no_frames_are_lost_at_the_ends_of_the_scale() {
    for (loss, lost) in [(0.0, 0), (1.0, 1000)] {
        let mut link = link(Spec {
            loss,
            ..Spec::default()
        });
        let arrived = (0..1000)
            .filter(|&now| link.admit(frame(100), now).is_some())
            .count();
        assert_eq!(arrived, 1000 - lost);
        assert_eq!(link.counts.dropped_loss, lost as u64);
    }
}

#[test]
fn loss_is_a_share_of_the_frames_on_the_wire() {
    let mut link = link(Spec {
        loss: 0.1,
        ..Spec::default()
    });
    let wire = Wire {
        frames: 2,
        bytes: 3000,
    };
    let arrived = (0..20_000)
        .filter(|&now| link.admit(wire, now).is_some())
        .count();
    assert_eq!(arrived as u64, 20_000 - link.counts.dropped_loss / 2);
    let share = link.counts.dropped_loss as f64 / 40_000.0;
    assert!((share - 0.19).abs() < 0.01, "{share}");
}

#[test]
fn frames_that_skip_the_latency_overtake_others() {
    let mut link = link(Spec {
        latency_us: 1000,
        reorder: 0.3,
        ..Spec::default()
    });
    let dues: Vec<u64> = (0..10_000)
        .map(|now| link.admit(frame(100), now).unwrap() - now)
        .collect();
    let early = dues.iter().filter(|&&wait| wait == 0).count();
    assert!((2700..3300).contains(&early), "{early}");
    assert!(dues.iter().all(|&wait| wait == 0 || wait == MS));
}

#[test]
fn the_same_seed_loses_the_same_frames() {
    let fate = |seed| {
        let mut link = Link::new(Rng::new(seed, 3));
        link.set(
            Spec {
                loss: 0.5,
                ..Spec::default()
            },
            0,
        );
        (0..64)
            .map(|now| link.admit(frame(60), now).is_some())
            .collect::<Vec<_>>()
    };
    assert_eq!(fate(1), fate(1));
    assert_ne!(fate(1), fate(2));
}

fn spec() -> impl Strategy<Value = Spec> {
    let bandwidth = prop::option::of(8_000u64..1_000_000_000);
    (
        0u64..100_000,
        0u64..50_000,
        bandwidth,
        0.0..0.5,
        0.0..0.5,
        prop::option::of(0u64..500_000),
    )
        .prop_map(
            |(latency_us, jitter_us, bandwidth, loss, reorder, queue_us)| Spec {
                latency_us,
                jitter_us: jitter_us.min(latency_us),
                bandwidth,
                loss,
                reorder,
                queue_us,
            },
        )
}

proptest! {
    #[test]
    fn every_frame_is_accounted_once(
        spec in spec(),
        arrivals in prop::collection::vec((0u64..5_000_000, 60u64..1514), 1..300),
    ) {
        let mut link = link(spec);
        let (mut now, mut offered) = (0, 0);
        for (gap, bytes) in arrivals {
            now += gap;
            offered += 1;
            if let Some(due) = link.admit(frame(bytes), now) {
                prop_assert!(due >= now);
                link.hold(&[0], frame(bytes), due);
            }
            while let Some((_, wire)) = link.take_due(now) {
                link.count(wire, true);
            }
        }
        while let Some((_, wire)) = link.take_due(u64::MAX) {
            link.count(wire, true);
        }
        let counts = &link.counts;
        prop_assert_eq!(counts.frames + counts.dropped_queue + counts.dropped_loss, offered);
        prop_assert_eq!(link.held_bytes, 0);
    }

    #[test]
    fn without_reordering_frames_keep_their_order(
        spec in spec(),
        arrivals in prop::collection::vec(0u64..3_000_000, 1..300),
    ) {
        let mut link = link(Spec { reorder: 0.0, ..spec });
        let (mut now, mut last) = (0, 0);
        for gap in arrivals {
            now += gap;
            if let Some(due) = link.admit(frame(1000), now) {
                prop_assert!(due >= last);
                last = due;
            }
        }
    }

    #[test]
    fn no_more_than_the_bandwidth_gets_through(
        bandwidth in 10_000u64..100_000_000,
        arrivals in prop::collection::vec((0u64..1_000_000, 60u64..1514), 2..300),
    ) {
        let mut link = link(Spec { bandwidth: Some(bandwidth), ..Spec::default() });
        let (mut now, mut sent, mut last) = (0, 0, 0);
        for (gap, bytes) in arrivals {
            now += gap;
            if let Some(due) = link.admit(frame(bytes), now) {
                sent += bytes * 8;
                last = due;
            }
        }
        let seconds = last as f64 / 1e9;
        prop_assert!(sent as f64 <= bandwidth as f64 * seconds * 1.001 + 1.0);
    }
}
