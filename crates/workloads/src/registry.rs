//! All workloads by name, made from what the other half says of them.

use super::bulkload::{self, BulkloadData};
use super::dataset::DataSet;
use super::document::Document;
use super::iibench::{self, IibenchData};
use super::imsi::{self, ImsiData};
use super::mix::{self, Mix, MixOptions, Part};
use super::oltp::{self, OltpData};
use super::stress::{self, CrudOptions, IngestOptions, StressData};
use super::tatp::{self, Tatp, TatpData};
use super::tpcc::{self, Tpcc, TpccData};
use super::{Workload, append, bank, registers};
use anyhow::Result;
use base::arguments::Usage;
use sql_wire::Kind;
use std::rc::Rc;

pub type Make = fn(&Document, Kind) -> Result<Rc<dyn Workload>>;
pub type MakeData = fn(&Document) -> Result<Box<dyn DataSet>>;

/// A group of workloads over one data set.
pub struct Family {
    pub names: &'static [&'static str],
    pub make: Make,
    /// What `prepare` loads for it.
    pub data: Option<MakeData>,
}

pub const FAMILIES: &[Family] = &[
    Family {
        names: oltp::NAMES,
        make: |asked, kind| oltp::make(&asked.workload, kind, &asked.read()?),
        data: Some(|asked| Ok(Box::new(OltpData::new(&asked.read()?)))),
    },
    Family {
        names: tatp::NAMES,
        make: |asked, kind| Ok(Rc::new(Tatp::new(kind, asked.read()?))),
        data: Some(|asked| Ok(Box::new(TatpData::new(&asked.read()?)))),
    },
    Family {
        names: tpcc::NAMES,
        make: |asked, kind| Ok(Rc::new(Tpcc::new(kind, asked.read()?))),
        data: Some(|asked| Ok(Box::new(TpccData::new(&asked.read()?)))),
    },
    Family {
        names: iibench::NAMES,
        make: |asked, kind| Ok(iibench::make(kind, &asked.read()?)),
        data: Some(|asked| Ok(Box::new(IibenchData::new(&asked.read()?)))),
    },
    Family {
        names: stress::INGEST,
        make: |asked, kind| Ok(stress::make_ingest(kind, &asked.read()?)),
        data: Some(|asked| {
            let shape = asked.read::<IngestOptions>()?.shape();
            Ok(Box::new(StressData::new("ingest", shape)))
        }),
    },
    Family {
        names: stress::CRUD,
        make: |asked, kind| Ok(stress::make_crud(kind, &asked.read()?)),
        data: Some(|asked| {
            let shape = asked.read::<CrudOptions>()?.shape();
            Ok(Box::new(StressData::new("crud", shape)))
        }),
    },
    Family {
        names: imsi::NAMES,
        make: |asked, kind| Ok(imsi::make(kind, &asked.read()?)),
        data: Some(|asked| Ok(Box::new(ImsiData::new(&asked.read()?)))),
    },
    Family {
        names: bulkload::NAMES,
        make: |asked, kind| Ok(bulkload::make(kind, &asked.read()?)),
        data: Some(|asked| Ok(Box::new(BulkloadData::new(&asked.read()?)))),
    },
    Family {
        names: bank::NAMES,
        make: |asked, kind| Ok(bank::make(kind, &asked.read()?)),
        data: None,
    },
    Family {
        names: append::NAMES,
        make: |asked, kind| Ok(append::make(kind, &asked.read()?)),
        data: None,
    },
    Family {
        names: registers::NAMES,
        make: |asked, kind| Ok(registers::make(kind, &asked.read()?)),
        data: None,
    },
];

/// The families that a program knows, by the crates that they are in.
pub struct Registry(pub &'static [&'static [Family]]);

impl Registry {
    /// The workload that is described.
    ///
    /// # Errors
    /// It is unknown, or its settings are not those that it has.
    pub fn make(&self, asked: &Document, kind: Kind) -> Result<Rc<dyn Workload>> {
        self.check(asked, kind)?;
        match asked.workload == mix::NAME {
            true => self.mix(&asked.read()?, kind, asked.as_texts),
            false => (self.family(asked)?.make)(asked, kind),
        }
    }

    /// Whether there is SQL of this workload that the server speaks.
    ///
    /// # Errors
    /// There is none.
    pub fn check(&self, asked: &Document, kind: Kind) -> Result<()> {
        let name = asked.workload.as_str();
        let written = [tatp::NAMES, oltp::NAMES, &[mix::NAME]].concat();
        match kind.is_by_odbc_alone() && !written.contains(&name) {
            true => Err(Usage::error(format!(
                "{name} is not written for the SQL of {}: there are tatp and the workloads oltp_*",
                kind.name()
            ))),
            false => Ok(()),
        }
    }

    /// What `prepare` loads for it.
    ///
    /// # Errors
    /// The workload has no data set, or as for `make`.
    pub fn data_set(&self, asked: &Document) -> Result<Box<dyn DataSet>> {
        match self.family(asked)?.data {
            Some(make) => make(asked),
            None => Err(Usage::error(format!(
                "the workload {} has no data to load",
                asked.workload
            ))),
        }
    }

    fn mix(&self, options: &MixOptions, kind: Kind, as_texts: bool) -> Result<Rc<dyn Workload>> {
        let made = options.parts.iter().map(|part| {
            let asked = part.workload.with_texts(as_texts);
            Ok(Part {
                workload: self.make(&asked, kind)?,
                weight: part.weight,
            })
        });
        Ok(Rc::new(Mix::new(made.collect::<Result<_>>()?)))
    }

    fn family(&self, asked: &Document) -> Result<&'static Family> {
        let mut all = self.0.iter().copied().flatten();
        all.find(|family| family.names.contains(&asked.workload.as_str()))
            .ok_or_else(|| {
                let names = self.0.iter().copied().flatten();
                let names: Vec<&str> = names.flat_map(|family| family.names).copied().collect();
                let (name, known) = (&asked.workload, names.join(", "));
                Usage::error(format!("no workload '{name}'; there are {known}"))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    const REGISTRY: Registry = Registry(&[FAMILIES]);

    #[test]
    fn every_workload_is_made_from_its_settings_and_from_no_others() {
        for family in FAMILIES {
            for name in family
                .names
                .iter()
                .filter(|name| !["script", "mix"].contains(name))
            {
                let text = testing::document(name, &[]);
                let document: Document = text.parse().unwrap();
                assert_eq!(REGISTRY.make(&document, Kind::Mysql).unwrap().name(), *name);
                if let Some(data) = family.data {
                    assert!(!data(&document).unwrap().tables().is_empty());
                }
                for wrong in ["wrong=1", "workload_=2"] {
                    let document: Document = testing::document(name, &[wrong]).parse().unwrap();
                    let refused = REGISTRY
                        .make(&document, Kind::Mysql)
                        .err()
                        .unwrap()
                        .to_string();
                    assert!(refused.contains("unknown field"), "{refused}");
                }
            }
        }
    }

    #[test]
    fn a_mix_is_made_of_its_parts() {
        let (a, b) = (
            testing::document("oltp_read_only", &[]),
            testing::document("tatp", &[]),
        );
        let text = format!(
            r#"{{"workload": "mix", "parts": [{{"weight": 3, "workload": {a}}}, {{"weight": 1.5, "workload": {b}}}]}}"#
        );
        let document: Document = text.parse().unwrap();
        assert_eq!(
            REGISTRY.make(&document, Kind::Postgres).unwrap().name(),
            "oltp_read_only+tatp"
        );
        let refused = REGISTRY.data_set(&document).err().unwrap().to_string();
        assert!(refused.contains("no workload 'mix'"), "{refused}");
    }

    #[test]
    fn what_is_unknown_or_missing_is_refused_by_name() {
        let refused = |text: &str| {
            let made = text.parse::<Document>().map_err(anyhow::Error::msg);
            let made = made.and_then(|document| REGISTRY.make(&document, Kind::Mysql));
            made.err().unwrap().to_string()
        };
        assert!(refused("{}").contains("workload"));
        assert!(refused("tatp").contains("expected"));
        assert!(refused(r#"{"workload": "olpt"}"#).contains("there are oltp_"));
        assert!(
            refused(r#"{"workload": "tatp", "subscribers": 5}"#).contains("tatp: missing field")
        );
    }

    #[test]
    fn what_is_not_written_for_a_dialect_is_refused() {
        let make = |name: &str, kind| {
            let document: Document = testing::document(name, &[]).parse().unwrap();
            REGISTRY.make(&document, kind)
        };
        for kind in [Kind::Soliddb, Kind::Oracle, Kind::Sqlserver, Kind::Db2] {
            for name in ["tatp", "oltp_read_write", "oltp_point_select"] {
                assert!(make(name, kind).is_ok(), "{name} {kind:?}");
            }
            let refused = make("tpcc", kind).err().unwrap().to_string();
            assert!(refused.starts_with("tpcc is not written"), "{refused}");
        }
    }

    #[test]
    fn every_name_belongs_to_one_family() {
        let all = FAMILIES.iter().flat_map(|family| family.names);
        let mut names: Vec<&str> = all.copied().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
