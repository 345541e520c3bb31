//! All workloads by name, with the options of each family.

use super::append::{self, AppendOptions};
use super::bank::{self, BankOptions};
use super::bulkload::{self, BulkloadData, BulkloadOptions};
use super::dataset::DataSet;
use super::iibench::{self, IibenchData, IibenchOptions};
use super::imsi::{self, ImsiData, ImsiOptions};
use super::mix::{Mix, Part};
use super::oltp::{self, OltpData, OltpOptions};
use super::script::{self, ScriptOptions};
use super::stress::{self, CrudOptions, IngestOptions, StressData};
use super::tatp::{self, Tatp, TatpData, TatpOptions};
use super::tpcc::{self, Tpcc, TpccData, TpccOptions};
use super::{Client, Workload};
use crate::args::Usage;
use crate::driver::Kind;
use anyhow::Result;
use std::rc::Rc;
use std::str::FromStr;

/// Which workloads to run, and the settings of all families.
#[derive(clap::Args)]
pub struct WorkloadArgs {
    /// What to run; several at once as NAME@WEIGHT, each transaction picking one by weight.
    #[arg(long, value_name = "NAME[@WEIGHT]", required_unless_present = "script")]
    pub workload: Vec<Choice>,
    #[command(flatten)]
    pub options: Options,
}

/// The settings of all families, each with a heading of its own.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten, next_help_heading = "Workloads oltp_* (sysbench)")]
    pub oltp: OltpOptions,
    #[command(flatten, next_help_heading = "Workload tatp")]
    pub tatp: TatpOptions,
    #[command(flatten, next_help_heading = "Workload tpcc")]
    pub tpcc: TpccOptions,
    #[command(flatten, next_help_heading = "Workload script")]
    pub script: ScriptOptions,
    #[command(flatten, next_help_heading = "Workload iibench")]
    pub iibench: IibenchOptions,
    #[command(flatten, next_help_heading = "Workload ingest")]
    pub ingest: IngestOptions,
    #[command(flatten, next_help_heading = "Workload crud")]
    pub crud: CrudOptions,
    #[command(flatten, next_help_heading = "Workload imsi")]
    pub imsi: ImsiOptions,
    #[command(flatten, next_help_heading = "Workload bulkload")]
    pub bulkload: BulkloadOptions,
    #[command(flatten, next_help_heading = "Workload bank")]
    pub bank: BankOptions,
    #[command(flatten, next_help_heading = "Workload append")]
    pub append: AppendOptions,
}

/// A group of workloads over one data set.
struct Family {
    names: &'static [&'static str],
    make: fn(&str, Kind, &Options) -> Result<Rc<dyn Workload>>,
    /// The name of what `prepare` loads for it.
    data: Option<&'static str>,
}

const FAMILIES: &[Family] = &[
    Family {
        names: oltp::NAMES,
        make: |name, kind, options| oltp::make(name, kind, &options.oltp),
        data: Some("oltp"),
    },
    Family {
        names: tatp::NAMES,
        make: |_, kind, options| Ok(Rc::new(Tatp::new(kind, options.tatp))),
        data: Some("tatp"),
    },
    Family {
        names: tpcc::NAMES,
        make: |_, kind, options| Ok(Rc::new(Tpcc::new(kind, options.tpcc))),
        data: Some("tpcc"),
    },
    Family {
        names: script::NAMES,
        make: |_, kind, options| script::make(kind, &options.script),
        data: None,
    },
    Family {
        names: iibench::NAMES,
        make: |_, kind, options| Ok(iibench::make(kind, &options.iibench)),
        data: Some("iibench"),
    },
    Family {
        names: stress::INGEST,
        make: |_, kind, options| Ok(stress::make_ingest(kind, &options.ingest)),
        data: Some("ingest"),
    },
    Family {
        names: stress::CRUD,
        make: |_, kind, options| stress::make_crud(kind, &options.crud),
        data: Some("crud"),
    },
    Family {
        names: imsi::NAMES,
        make: |_, kind, options| imsi::make(kind, &options.imsi),
        data: Some("imsi"),
    },
    Family {
        names: bulkload::NAMES,
        make: |_, kind, options| Ok(bulkload::make(kind, &options.bulkload)),
        data: Some("bulkload"),
    },
    Family {
        names: bank::NAMES,
        make: |_, kind, options| Ok(bank::make(kind, &options.bank)),
        data: None,
    },
    Family {
        names: append::NAMES,
        make: |_, kind, options| Ok(append::make(kind, &options.append)),
        data: None,
    },
];

/// The data of a family, at the scale of its options.
type MakeData = fn(&Options) -> Box<dyn DataSet>;

/// What `prepare` loads, by name.
const DATA_SETS: &[(&str, MakeData)] = &[
    ("oltp", |options| Box::new(OltpData::new(&options.oltp))),
    ("tatp", |options| Box::new(TatpData::new(&options.tatp))),
    ("tpcc", |options| Box::new(TpccData::new(&options.tpcc))),
    ("iibench", |options| {
        Box::new(IibenchData::new(&options.iibench))
    }),
    ("ingest", |options| {
        Box::new(StressData::new("ingest", options.ingest.shape()))
    }),
    ("crud", |options| {
        Box::new(StressData::new("crud", options.crud.shape()))
    }),
    ("imsi", |options| Box::new(ImsiData::new(&options.imsi))),
    ("bulkload", |options| {
        Box::new(BulkloadData::new(&options.bulkload))
    }),
];

/// A workload's name as the user wrote it, with its weight among others.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub name: String,
    pub weight: f64,
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Choice, String> {
        let (name, weight) = text.split_once('@').unwrap_or((text, "1"));
        let known = || FAMILIES.iter().flat_map(|family| family.names);
        if !known().any(|&other| other == name) {
            let names: Vec<&str> = known().copied().collect();
            return Err(format!("no such workload; there are {}", names.join(", ")));
        }
        match weight.parse::<f64>() {
            Ok(weight) if weight > 0.0 && weight.is_finite() => Ok(Choice {
                name: name.to_string(),
                weight,
            }),
            _ => Err(format!("the weight '{weight}' is not a number above 0")),
        }
    }
}

impl WorkloadArgs {
    /// The workload, or the mix of several.
    pub fn make(&self, kind: Kind) -> Result<Rc<dyn Workload>> {
        if self.workload.is_empty() {
            return script::make(kind, &self.options.script);
        }
        let mut parts = Vec::new();
        for choice in &self.workload {
            parts.push(Part {
                workload: make_one(&choice.name, kind, &self.options)?,
                weight: choice.weight,
            });
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0).workload);
        }
        Ok(Rc::new(Mix::new(parts)))
    }
}

pub fn make_one(name: &str, kind: Kind, options: &Options) -> Result<Rc<dyn Workload>> {
    let family = FAMILIES.iter().find(|family| family.names.contains(&name));
    match family {
        Some(family) => (family.make)(name, kind, options),
        None => Err(Usage::error(format!("no workload '{name}'"))),
    }
}

/// What `prepare` loads for a workload; the data set's own name will do as well.
pub fn data_set(name: &str, options: &Options) -> Result<Box<dyn DataSet>> {
    let family = FAMILIES.iter().find(|family| family.names.contains(&name));
    let wanted = family.map_or(Some(name), |family| family.data);
    match DATA_SETS.iter().find(|(known, _)| Some(*known) == wanted) {
        Some((_, make)) => Ok(make(options)),
        None => {
            let names: Vec<&str> = DATA_SETS.iter().map(|(name, _)| *name).collect();
            Err(Usage::error(format!(
                "no data set '{name}'; there are {}",
                names.join(", ")
            )))
        }
    }
}

/// Picks a position by weights that need not add up to anything.
pub fn pick_by_weight(client: &Client, weights: impl Iterator<Item = f64> + Clone) -> usize {
    let total: f64 = weights.clone().sum();
    let mut left = client.rng().unit() * total;
    let mut last = 0;
    for (position, weight) in weights.enumerate() {
        if weight > 0.0 {
            last = position;
            if left < weight {
                break;
            }
        }
        left -= weight;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_have_names_and_weights() {
        let choice: Choice = "oltp_read_only@2.5".parse().unwrap();
        assert_eq!(
            (choice.name.as_str(), choice.weight),
            ("oltp_read_only", 2.5)
        );
        assert!(
            "olpt"
                .parse::<Choice>()
                .unwrap_err()
                .contains("oltp_read_write")
        );
        for text in [
            "oltp_insert@0",
            "oltp_insert@-1",
            "oltp_insert@x",
            "oltp_insert@inf",
        ] {
            assert!(text.parse::<Choice>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_family_has_a_data_set_of_its_own_name() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            options: Options,
        }
        let options = <Line as clap::Parser>::parse_from(["test"]).options;
        for (name, _) in DATA_SETS {
            assert_eq!(data_set(name, &options).unwrap().family(), *name);
        }
        for family in FAMILIES {
            let Some(data) = family.data else { continue };
            let set = data_set(family.names[0], &options).unwrap();
            assert_eq!(set.family(), data);
        }
        let refused = data_set("oltq", &options).err().unwrap().to_string();
        assert!(refused.contains("there are oltp, tatp"), "{refused}");
    }

    #[test]
    fn every_name_belongs_to_one_family() {
        let mut names: Vec<&str> = FAMILIES
            .iter()
            .flat_map(|family| family.names)
            .copied()
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
