//! Latencies as an HdrHistogram log: one compressed histogram per second and kind of operation.

use super::file::ResultFile;
use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// Three digits are 1 us of 1 ms; what takes longer than an hour counts as an hour.
const DIGITS: u8 = 3;
const LONGEST_US: u64 = 3_600_000_000;

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    /// Every transaction that did what it was to do.
    Transaction,
    /// Those that ended without effect, as specified.
    Expected,
    /// From the first byte of a connect to a usable session.
    Connect,
    LedgerWrite,
    LedgerRead,
    /// How much of a transaction's time the load generator had no processor.
    Waited,
    /// Transactions of one type.
    Type(usize),
}

const TAGS: [&str; 6] = [
    "transaction",
    "expected",
    "connect",
    "ledger_write",
    "ledger_read",
    "waited",
];

impl Latency {
    fn position(self) -> usize {
        match self {
            Latency::Transaction => 0,
            Latency::Expected => 1,
            Latency::Connect => 2,
            Latency::LedgerWrite => 3,
            Latency::LedgerRead => 4,
            Latency::Waited => 5,
            Latency::Type(which) => TAGS.len() + which,
        }
    }
}

pub struct LatencyLog {
    file: ResultFile,
    tags: Vec<String>,
    histograms: Vec<Histogram<u64>>,
    serializer: V2DeflateSerializer,
    interval_started_ns: u64,
    encoded: Vec<u8>,
    transactions: Sums,
    waited: Sums,
    connects: Sums,
}

impl LatencyLog {
    /// Types of transactions get a tag `transaction.NAME` each.
    pub fn create(folder: Option<&Path>, types: &[&str]) -> io::Result<LatencyLog> {
        let histogram = Histogram::new_with_bounds(1, LONGEST_US, DIGITS)
            .map_err(|error| io::Error::other(error.to_string()))?;
        let mut tags: Vec<String> = TAGS.map(String::from).to_vec();
        tags.extend(
            types
                .iter()
                .map(|name| format!("transaction.{}", plain(name))),
        );
        Ok(LatencyLog {
            file: ResultFile::create(folder, "latency.hlog")?,
            histograms: vec![histogram.clone(); tags.len()],
            tags,
            serializer: V2DeflateSerializer::new(),
            interval_started_ns: 0,
            encoded: Vec::new(),
            transactions: Sums::new(&histogram),
            waited: Sums::new(&histogram),
            connects: Sums::new(&histogram),
        })
    }

    /// Times in the log are relative to this moment.
    pub fn start(&mut self, unix_ns: u64) -> io::Result<()> {
        let seconds = unix_ns as f64 / 1e9;
        writeln!(self.file, "#[Histogram log format version 1.3]")?;
        // HdrHistogram's own tools take values for nanoseconds: their ratio for milliseconds must be 1000 here
        writeln!(
            self.file,
            "#[Units: StartTimestamp and Interval_Length are seconds; Interval_Max and all values of the \
             histograms are microseconds (for HistogramLogProcessor: -outputValueUnitRatio 1000 gives \
             milliseconds)]"
        )?;
        writeln!(
            self.file,
            "#[StartTime: {seconds:.3} (seconds since epoch)]"
        )?;
        writeln!(self.file, "#[BaseTime: {seconds:.3} (seconds since epoch)]")?;
        writeln!(
            self.file,
            "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\""
        )
    }

    #[inline]
    pub fn record(&mut self, latency: Latency, nanoseconds: u64) {
        // Rounded to the nearest microsecond; 0 does not exist in a histogram.
        let microseconds = (nanoseconds + 500) / 1000;
        self.histograms[latency.position()].saturating_record(microseconds.max(1));
    }

    /// Quantile of the transactions of the second under way, in milliseconds.
    pub fn quantile_ms(&self, quantile: f64) -> f64 {
        self.histograms[Latency::Transaction.position()].value_at_quantile(quantile) as f64 / 1000.0
    }

    /// Writes the interval that ends `since_start_ns` after the start, and begins the next.
    pub fn write_interval(&mut self, since_start_ns: u64) -> io::Result<()> {
        self.sum_up()?;
        let start = self.interval_started_ns as f64 / 1e9;
        let length = since_start_ns.saturating_sub(self.interval_started_ns) as f64 / 1e9;
        self.interval_started_ns = since_start_ns;
        for (tag, histogram) in self.tags.iter().zip(&mut self.histograms) {
            if histogram.is_empty() {
                continue;
            }
            self.encoded.clear();
            self.serializer
                .serialize(histogram, &mut self.encoded)
                .map_err(|error| io::Error::other(error.to_string()))?;
            writeln!(
                self.file,
                "Tag={tag},{start:.3},{length:.3},{:.3},{}",
                histogram.max() as f64,
                BASE64.encode(&self.encoded)
            )?;
            histogram.reset();
        }
        self.file.flush()
    }

    fn sum_up(&mut self) -> io::Result<()> {
        let of = |latency: Latency| &self.histograms[latency.position()];
        self.transactions.add(of(Latency::Transaction))?;
        self.waited.add(of(Latency::Waited))?;
        self.connects.add(of(Latency::Connect))
    }

    /// The transactions since the last call, as far as intervals were written.
    pub fn take_part(&mut self) -> io::Result<Quantiles> {
        self.transactions.take_part()
    }

    /// How much of these transactions' times was the wait for a processor.
    pub fn take_waited(&mut self) -> io::Result<Quantiles> {
        self.waited.take_part()
    }

    /// All transactions of the parts that were taken.
    pub fn whole(&self) -> Quantiles {
        Quantiles::of(&self.transactions.whole)
    }

    /// The same of the wait for a processor.
    pub fn waited(&self) -> Quantiles {
        Quantiles::of(&self.waited.whole)
    }

    /// The connects since the last call, as far as intervals were written.
    pub fn take_connects(&mut self) -> io::Result<Quantiles> {
        self.connects.take_part()
    }

    /// All connects of the parts that were taken.
    pub fn connects(&self) -> Quantiles {
        Quantiles::of(&self.connects.whole)
    }

    pub fn finish(&mut self) -> io::Result<()> {
        self.file.finish()
    }
}

/// One kind of time over parts of the run, and over all of it.
struct Sums {
    /// The part of the run under way, without the interval under way.
    part: Histogram<u64>,
    /// The whole run, without the part under way.
    whole: Histogram<u64>,
}

impl Sums {
    fn new(empty: &Histogram<u64>) -> Sums {
        Sums {
            part: empty.clone(),
            whole: empty.clone(),
        }
    }

    fn add(&mut self, interval: &Histogram<u64>) -> io::Result<()> {
        add(&mut self.part, interval)
    }

    fn take_part(&mut self) -> io::Result<Quantiles> {
        add(&mut self.whole, &self.part)?;
        let quantiles = Quantiles::of(&self.part);
        self.part.reset();
        Ok(quantiles)
    }
}

fn add(sum: &mut Histogram<u64>, more: &Histogram<u64>) -> io::Result<()> {
    sum.add(more)
        .map_err(|error| io::Error::other(error.to_string()))
}

/// Response times in milliseconds; None where there were none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Quantiles {
    pub mean: Option<f64>,
    pub p50: Option<f64>,
    pub p95: Option<f64>,
    pub p99: Option<f64>,
    pub p999: Option<f64>,
    pub max: Option<f64>,
}

impl Quantiles {
    fn of(histogram: &Histogram<u64>) -> Quantiles {
        if histogram.is_empty() {
            return Quantiles::default();
        }
        let at = |quantile| Some(histogram.value_at_quantile(quantile) as f64 / 1000.0);
        Quantiles {
            mean: Some((histogram.mean() * 1000.0).round() / 1e6),
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            p999: at(0.999),
            max: Some(histogram.max() as f64 / 1000.0),
        }
    }
}

/// A tag ends at a comma, and readers split lines at spaces.
fn plain(name: &str) -> String {
    name.replace([',', ' ', '\n'], "_")
}

#[cfg(test)]
mod tests {
    use super::super::file::tests::folder;
    use super::*;
    use hdrhistogram::serialization::Deserializer;

    #[test]
    fn intervals_can_be_read_back() {
        let folder = folder("histogram");
        let mut log = LatencyLog::create(Some(&folder), &[]).unwrap();
        log.start(1_700_000_000_000_000_000).unwrap();
        log.record(Latency::Transaction, 1_234_000);
        log.record(Latency::Transaction, 0);
        log.write_interval(1_000_000_000).unwrap();
        log.write_interval(2_000_000_000).unwrap();
        log.finish().unwrap();
        let text = std::fs::read_to_string(folder.join("latency.hlog")).unwrap();
        let rows: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("Tag="))
            .collect();
        assert_eq!(rows.len(), 1, "empty intervals are left out");
        assert!(
            rows[0].starts_with("Tag=transaction,0.000,1.000,1234.000,"),
            "{}",
            rows[0]
        );
        let bytes = BASE64.decode(rows[0].rsplit(',').next().unwrap()).unwrap();
        let read: Histogram<u64> = Deserializer::new()
            .deserialize(&mut io::Cursor::new(bytes))
            .unwrap();
        assert_eq!((read.len(), read.min(), read.max()), (2, 1, 1234));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn parts_end_where_they_are_taken() {
        let mut log = LatencyLog::create(None, &[]).unwrap();
        log.start(0).unwrap();
        log.record(Latency::Transaction, 2_000_000);
        log.write_interval(500_000_000).unwrap();
        log.record(Latency::Transaction, 4_000_000);
        log.record(Latency::Connect, 7_000_000);
        log.write_interval(1_000_000_000).unwrap();
        let part = log.take_part().unwrap();
        assert_eq!(part.p50, Some(2.0));
        assert!((part.mean.unwrap() - 3.0).abs() < 0.01);
        assert!((part.max.unwrap() - 4.0).abs() < 0.01);
        assert_eq!(log.take_part().unwrap(), Quantiles::default());
        assert_eq!(log.whole(), part);
        assert!((log.take_connects().unwrap().p99.unwrap() - 7.0).abs() < 0.01);
        assert!((log.connects().p99.unwrap() - 7.0).abs() < 0.01);
    }
}
