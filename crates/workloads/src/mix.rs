//! Several workloads at once: every transaction belongs to one of them, picked by weight.

use super::document::Document;
use super::shares::pick_by_weight;
use super::{Client, HeldUp, LeftOpen, Pauses, RunFacts, Running, TransactionType, Workload};
use serde::Deserialize;
use sql_wire::{Failure, Kind, Statement, blocking};
use std::collections::BTreeMap;
use std::rc::Rc;

pub const NAME: &str = "mix";

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixOptions {
    pub parts: Vec<MixPart>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixPart {
    pub weight: f64,
    pub workload: Document,
}

pub struct Part {
    pub workload: Rc<dyn Workload>,
    pub weight: f64,
}

/// A part with the place of its statements and types among those of all parts.
struct Place {
    part: Part,
    first_statement: usize,
    first_type: usize,
}

pub struct Mix {
    places: Vec<Place>,
    name: String,
    types: Vec<TransactionType>,
}

impl Mix {
    pub fn new(parts: Vec<Part>) -> Mix {
        let names: Vec<&str> = parts.iter().map(|part| part.workload.name()).collect();
        let mut mix = Mix {
            name: names.join("+"),
            types: Vec::new(),
            places: Vec::new(),
        };
        let mut statements = 0;
        for part in parts {
            let (first_statement, first_type) = (statements, mix.types.len());
            statements += part.workload.statements().len();
            mix.types.extend_from_slice(part.workload.transactions());
            mix.places.push(Place {
                part,
                first_statement,
                first_type,
            });
        }
        mix.tell_apart();
        mix
    }

    /// Types of two parts that share a name get their workload's before it.
    fn tell_apart(&mut self) {
        let names: Vec<String> = self.types.iter().map(|of| of.name.clone()).collect();
        for place in &self.places {
            let own = place.first_type..place.first_type + place.part.workload.transactions().len();
            for which in own {
                let name = &names[which];
                if names.iter().filter(|other| *other == name).count() > 1 {
                    self.types[which].name = format!("{}.{name}", place.part.workload.name());
                }
            }
        }
    }

    fn enter(place: &Place, client: &Client) {
        client.set_first(place.first_statement, place.first_type);
    }

    /// The part of this type, entered, and the type's number there.
    fn part_of(&self, which: usize, client: &Client) -> (&Rc<dyn Workload>, usize) {
        let behind = self
            .places
            .partition_point(|place| place.first_type <= which);
        let place = &self.places[behind - 1];
        Mix::enter(place, client);
        (&place.part.workload, which - place.first_type)
    }
}

impl Workload for Mix {
    fn name(&self) -> &str {
        &self.name
    }

    fn transactions(&self) -> &[TransactionType] {
        &self.types
    }

    fn statements(&self) -> Vec<Statement> {
        let all = self.places.iter();
        all.flat_map(|place| place.part.workload.statements())
            .collect()
    }

    fn required_table(&self) -> Option<&str> {
        let mut all = self.places.iter();
        all.find_map(|place| place.part.workload.required_table())
    }

    fn ready(&self, server: &mut blocking::Client) -> Result<(), Failure> {
        let mut all = self.places.iter();
        all.try_for_each(|place| place.part.workload.ready(server))
    }

    fn expect(&self, facts: &RunFacts) {
        for place in &self.places {
            place.part.workload.expect(facts);
        }
    }

    fn one_of(&self, index: usize, count: usize) {
        for place in &self.places {
            place.part.workload.one_of(index, count);
        }
    }

    fn held_up(&self) -> Option<HeldUp> {
        let all = self.places.iter();
        let held_up = all.filter_map(|place| place.part.workload.held_up());
        held_up.max_by_key(|one| one.total_ns)
    }

    fn ends_itself(&self) -> bool {
        let mut all = self.places.iter();
        all.all(|place| place.part.workload.ends_itself())
    }

    fn counted(&self) -> BTreeMap<&'static str, u64> {
        let mut sums = BTreeMap::new();
        for place in &self.places {
            for (name, count) in place.part.workload.counted() {
                *sums.entry(name).or_default() += count;
            }
        }
        sums
    }

    fn begin(
        &self,
        connect: &mut dyn FnMut() -> Result<blocking::Client, Failure>,
    ) -> anyhow::Result<()> {
        let mut all = self.places.iter();
        all.try_for_each(|place| place.part.workload.begin(connect))
    }

    fn finish(
        &self,
        connect: &mut dyn FnMut() -> Result<blocking::Client, Failure>,
    ) -> anyhow::Result<()> {
        let mut all = self.places.iter();
        all.try_for_each(|place| place.part.workload.finish(connect))
    }

    fn session_setup(&self, kind: Kind) -> Vec<String> {
        let all = self.places.iter();
        all.flat_map(|place| place.part.workload.session_setup(kind))
            .collect()
    }

    fn relies_on_autocommit(&self) -> bool {
        let mut all = self.places.iter();
        all.any(|place| place.part.workload.relies_on_autocommit())
    }

    fn left_open(&self, which: usize, client: &Client) -> LeftOpen {
        let (workload, of_part) = self.part_of(which, client);
        workload.left_open(of_part, client)
    }

    /// A part that has nothing left to do gives its turn to the next.
    fn pick(&self, client: &Client) -> Option<usize> {
        let weights = self.places.iter().map(|place| place.part.weight);
        let chosen = pick_by_weight(client, weights);
        let (before, from_chosen) = self.places.split_at(chosen);
        from_chosen.iter().chain(before).find_map(|place| {
            Mix::enter(place, client);
            let of_part = place.part.workload.pick(client)?;
            Some(place.first_type + of_part)
        })
    }

    fn run(self: Rc<Self>, which: usize, client: Rc<Client>) -> Running {
        let (workload, of_part) = self.part_of(which, &client);
        Rc::clone(workload).run(of_part, client)
    }

    fn pauses(&self, which: usize, client: &Client) -> Pauses {
        let (workload, of_part) = self.part_of(which, client);
        workload.pauses(of_part, client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::End;
    use crate::client::Exchange;
    use crate::testing::calls;
    use base::rng::Rng;
    use sql_wire::{Effect, Failure};

    /// Two types, `read` and another one; each calls the statement of its number.
    struct Small {
        types: Vec<TransactionType>,
        left: bool,
    }

    fn small(name: &str, left: bool) -> Rc<dyn Workload> {
        let types = vec![
            TransactionType::new("read", false),
            TransactionType::new(name, true),
        ];
        Rc::new(Small { types, left })
    }

    impl Workload for Small {
        fn name(&self) -> &str {
            &self.types[1].name
        }

        fn transactions(&self) -> &[TransactionType] {
            &self.types
        }

        fn statements(&self) -> Vec<Statement> {
            let named = |of: &TransactionType| format!("{} {}", self.name(), of.name);
            let statement = |sql: String| Statement::new(Kind::Noop, "s", Effect::Read, &sql, &[]);
            self.types.iter().map(named).map(statement).collect()
        }

        fn required_table(&self) -> Option<&str> {
            None
        }

        fn pick(&self, _client: &Client) -> Option<usize> {
            self.left.then_some(1)
        }

        fn run(self: Rc<Self>, which: usize, client: Rc<Client>) -> Running {
            Box::pin(async move {
                client.call(which).await.map(|_| ())?;
                Ok::<End, Failure>(End::Committed)
            })
        }
    }

    fn mix(parts: [(&str, f64, bool); 2]) -> Rc<Mix> {
        let part = |(name, weight, left)| Part {
            workload: small(name, left),
            weight,
        };
        Rc::new(Mix::new(parts.map(part).into()))
    }

    #[test]
    fn every_type_calls_the_statements_of_its_part() {
        let mix = mix([("a", 1.0, true), ("b", 1.0, true)]);
        let sql = |which| calls(mix.clone(), which, 1)[0].statement.sql.clone();
        assert_eq!([0, 1, 2, 3].map(sql), ["a read", "a a", "b read", "b b"]);
    }

    #[test]
    fn shared_names_are_told_apart() {
        let mix = mix([("a", 1.0, true), ("b", 1.0, true)]);
        let names: Vec<&str> = mix.types.iter().map(|of| of.name.as_str()).collect();
        assert_eq!(names, ["a.read", "a", "b.read", "b"]);
        assert_eq!(mix.name(), "a+b");
    }

    #[test]
    fn turns_follow_the_weights_and_pass_over_what_is_used_up() {
        let exchange = Exchange::new(Kind::Noop, Vec::new());
        let client = Client::new(0, exchange, Rng::new(1, 0));
        let both = mix([("a", 3.0, true), ("b", 1.0, true)]);
        let of_b = (0..4000).filter(|_| both.pick(&client) == Some(3)).count();
        assert!((900..1100).contains(&of_b), "{of_b}");
        let only_b = mix([("a", 3.0, false), ("b", 1.0, true)]);
        assert!((0..100).all(|_| only_b.pick(&client) == Some(3)));
        let none = mix([("a", 3.0, false), ("b", 1.0, false)]);
        assert_eq!(none.pick(&client), None);
    }
}
