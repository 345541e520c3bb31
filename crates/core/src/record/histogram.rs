//! Latencies as an HdrHistogram log: one compressed histogram per second and kind of operation.

use super::file::ResultFile;
use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use std::io::{self, Write};
use std::path::Path;

/// Three digits are 1 us of 1 ms; what takes longer than an hour counts as an hour.
const DIGITS: u8 = 3;
const LONGEST_US: u64 = 3_600_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    Transaction,
    ProbeWrite,
    ProbeRead,
}

const TAGS: [&str; 3] = ["transaction", "probe_write", "probe_read"];

pub struct LatencyLog {
    file: ResultFile,
    histograms: [Histogram<u64>; 3],
    serializer: V2DeflateSerializer,
    interval_started_ns: u64,
    encoded: Vec<u8>,
}

impl LatencyLog {
    pub fn create(folder: &Path) -> io::Result<LatencyLog> {
        let histogram = Histogram::new_with_bounds(1, LONGEST_US, DIGITS)
            .map_err(|error| io::Error::other(error.to_string()))?;
        Ok(LatencyLog {
            file: ResultFile::create(folder, "latency.hlog")?,
            histograms: [histogram.clone(), histogram.clone(), histogram],
            serializer: V2DeflateSerializer::new(),
            interval_started_ns: 0,
            encoded: Vec::new(),
        })
    }

    /// Times in the log are relative to this moment.
    pub fn start(&mut self, unix_ns: u64) -> io::Result<()> {
        let seconds = unix_ns as f64 / 1e9;
        writeln!(self.file, "#[Histogram log format version 1.3]")?;
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
        self.histograms[latency as usize].saturating_record(microseconds.max(1));
    }

    /// Quantile of the transactions of the second under way, in milliseconds.
    pub fn quantile_ms(&self, quantile: f64) -> f64 {
        self.histograms[Latency::Transaction as usize].value_at_quantile(quantile) as f64 / 1000.0
    }

    /// Writes the interval that ends `since_start_ns` after the start, and begins the next.
    pub fn write_interval(&mut self, since_start_ns: u64) -> io::Result<()> {
        let start = self.interval_started_ns as f64 / 1e9;
        let length = since_start_ns.saturating_sub(self.interval_started_ns) as f64 / 1e9;
        self.interval_started_ns = since_start_ns;
        for (tag, histogram) in TAGS.iter().zip(&mut self.histograms) {
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

    pub fn finish(&mut self) -> io::Result<()> {
        self.file.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::tests::folder;
    use super::*;
    use hdrhistogram::serialization::Deserializer;

    #[test]
    fn intervals_can_be_read_back() {
        let folder = folder("histogram");
        let mut log = LatencyLog::create(&folder).unwrap();
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
}
