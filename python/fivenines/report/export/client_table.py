"""The table `clients`: each of several clients of a complete trial, measured by its load."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fivenines.analysis.measures.measures import MEASURES
from fivenines.analysis.performance.clients import OF_A_CLIENT, client_measures
from fivenines.report.export.attempts import Attempt
from fivenines.report.export.columns import Column, ExportTable, seen_by
from fivenines.report.export.keys import of_trial
from fivenines.report.export.trial_table import value_columns
from fivenines.results.records import ClientRecord


@dataclass(frozen=True)
class ClientRow:
    """A client of a trial; `own` is the trial with the load of this client only."""

    of: Attempt
    client: ClientRecord
    own: Attempt


def client_rows(of: Attempt) -> Iterator[ClientRow]:
    """Yield the clients of a complete trial in the experiment's order; none if there is only one."""
    if of.stored is None:
        return
    for client in of.stored.record.clients:
        measured = client_measures(of.stored, client.name)
        yield ClientRow(of, client, replace(of, record=measured.record, measures=measured))


def _own(row: ClientRow) -> Attempt:
    return row.own


CLIENTS: ExportTable[ClientRow] = ExportTable(
    "clients",
    "a client of a complete trial with several clients, by its load only",
    [
        *of_trial(),
        Column("client", "VARCHAR", "", "name of the client", lambda one: one.client.name),
        Column(
            "site",
            "VARCHAR",
            "",
            "site of the client; NULL: the network has no sites",
            lambda one: one.client.site or None,
        ),
        Column(
            "endpoint",
            "VARCHAR",
            "",
            "endpoint of its writes; NULL: chosen by the access layer",
            lambda one: one.client.endpoint or None,
        ),
        Column(
            "workload",
            "VARCHAR",
            "",
            "workload of the client; NULL: the cell's",
            lambda one: one.client.workload or None,
        ),
        Column(
            "connections",
            "BIGINT",
            "",
            "its share of the trial's connections",
            lambda one: one.client.connections,
        ),
        Column("addresses", "BIGINT", "", "number of source addresses", lambda one: one.client.addresses),
        *(column for name in OF_A_CLIENT for column in seen_by(value_columns(MEASURES[name]), _own)),
    ],
)
