//! Time limits of a load's clients: for connecting, for an answer, and for a silent peer.
//!
//! The defaults follow common drivers: 10 s to connect (pgjdbc); 30 s for an answer, as most drivers have no
//! limit and HikariCP recommends this one; keepalive as in Go's net.Dialer.

use crate::record::bounds::{BoundsSummary, KeepaliveSummary};
use crate::transport::SocketOptions;
use base::arguments::seconds;
use socket2::TcpKeepalive;
use std::str::FromStr;
use std::time::Duration;

#[derive(clap::Args)]
pub struct Bounds {
    /// Time limit for connecting, logging in and querying the role together.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "10s")]
    pub connect_timeout: Duration,
    /// Time limit for the reply to a statement; none: no limit.
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub answer_timeout: Limit,
    /// TCP keepalive: idle time before the first probe, interval, and number of unanswered probes; or off.
    #[arg(long, value_name = "IDLE,INTERVAL,PROBES", default_value = "15s,15s,9")]
    pub keepalive: Keepalive,
    /// Time limit for unacknowledged data (TCP_USER_TIMEOUT); none: the kernel's limit.
    #[arg(long, value_name = "TIME", default_value = "none")]
    pub tcp_user_timeout: Limit,
}

impl Bounds {
    /// Nanoseconds to wait for an answer.
    pub fn answer_ns(&self) -> u64 {
        let bound = self.answer_timeout.0;
        bound.map_or(u64::MAX, |bound| bound.as_nanos() as u64)
    }

    pub fn socket(&self) -> SocketOptions {
        SocketOptions {
            keepalive: self.keepalive.0.map(|times| times.of_socket()),
            user_timeout: self.tcp_user_timeout.0,
            from: None,
            log_in: self.connect_timeout,
        }
    }

    pub fn summary(&self) -> BoundsSummary {
        let in_seconds = |limit: Limit| limit.0.map(|bound| bound.as_secs_f64());
        BoundsSummary {
            answer_timeout_s: in_seconds(self.answer_timeout),
            connect_timeout_s: self.connect_timeout.as_secs_f64(),
            keepalive: self.keepalive.0.map(|times| KeepaliveSummary {
                idle_s: times.idle.as_secs_f64(),
                interval_s: times.interval.as_secs_f64(),
                probes: times.probes,
            }),
            tcp_user_timeout_s: in_seconds(self.tcp_user_timeout),
        }
    }
}

/// A bound, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(pub Option<Duration>);

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Limit, String> {
        match text {
            "none" => Ok(Limit(None)),
            _ => Ok(Limit(Some(seconds(text)?))),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepaliveTimes {
    pub idle: Duration,
    pub interval: Duration,
    pub probes: u32,
}

impl KeepaliveTimes {
    fn of_socket(self) -> TcpKeepalive {
        TcpKeepalive::new()
            .with_time(self.idle)
            .with_interval(self.interval)
            .with_retries(self.probes)
    }
}

/// Keepalive with its times, or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keepalive(pub Option<KeepaliveTimes>);

impl FromStr for Keepalive {
    type Err = String;

    fn from_str(text: &str) -> Result<Keepalive, String> {
        if text == "off" {
            return Ok(Keepalive(None));
        }
        let wrong = || "expected off, or IDLE,INTERVAL,PROBES as 15s,15s,9".to_string();
        let parts: Vec<&str> = text.split(',').collect();
        let [idle, interval, probes] = parts[..] else {
            return Err(wrong());
        };
        // The kernel knows whole seconds, up to 32767, and up to 127 probes.
        let whole = |text: &str| match seconds(text)? {
            time if time.subsec_nanos() == 0 && time.as_secs() <= 32_767 => Ok(time),
            _ => Err("keepalive times must be whole seconds from 1s to 32767s".to_string()),
        };
        match probes.parse::<u32>() {
            Ok(probes) if (1..=127).contains(&probes) => Ok(Keepalive(Some(KeepaliveTimes {
                idle: whole(idle)?,
                interval: whole(interval)?,
                probes,
            }))),
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_times_or_none() {
        assert_eq!("none".parse(), Ok(Limit(None)));
        assert_eq!("2s".parse(), Ok(Limit(Some(Duration::from_secs(2)))));
        for text in ["", "0", "never", "-1s"] {
            assert!(text.parse::<Limit>().is_err(), "{text}");
        }
    }

    #[test]
    fn keepalive_has_three_numbers_or_is_off() {
        assert_eq!("off".parse(), Ok(Keepalive(None)));
        let times = "1m,15s,9".parse::<Keepalive>().unwrap().0.unwrap();
        assert_eq!((times.idle.as_secs(), times.probes), (60, 9));
        for text in [
            "",
            "15s",
            "15s,15s",
            "500ms,1s,9",
            "15s,15s,0",
            "15s,15s,128",
            "1d,1s,1",
        ] {
            assert!(text.parse::<Keepalive>().is_err(), "{text}");
        }
    }
}
