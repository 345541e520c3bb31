"""The table `clients`: each of several clients of a complete trial, measured by its own load."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fivenines.analysis.clients import OF_A_CLIENT, client_measures
from fivenines.export.attempts import Attempt
from fivenines.export.columns import Column, ExportTable, seen_by
from fivenines.export.keys import of_trial
from fivenines.export.trial_table import value_columns
from fivenines.requirements.measures import MEASURES
from fivenines.results.records import ClientRecord


@dataclass(frozen=True)
class ClientRow:
    """A client of a trial; `own` is the trial as this client alone saw it."""

    of: Attempt
    client: ClientRecord
    own: Attempt


def client_rows(of: Attempt) -> Iterator[ClientRow]:
    """The clients of a complete trial in the experiment's order; none where one made the whole load."""
    if of.stored is None:
        return
    for client in of.stored.record.clients:
        found = client_measures(of.stored, client.name)
        yield ClientRow(of, client, replace(of, record=found.record, measures=found))


def _own(row: ClientRow) -> Attempt:
    return row.own


CLIENTS: ExportTable[ClientRow] = ExportTable(
    "clients",
    "a client of a complete trial that has several, by its own load alone",
    [
        *of_trial(),
        Column("client", "VARCHAR", "", "its name", lambda one: one.client.name),
        Column(
            "site",
            "VARCHAR",
            "",
            "where it is; NULL: the network has no sites",
            lambda one: one.client.site or None,
        ),
        Column(
            "endpoint",
            "VARCHAR",
            "",
            "where it writes; NULL: as the access layer says",
            lambda one: one.client.endpoint or None,
        ),
        Column(
            "workload", "VARCHAR", "", "its own; NULL: the cell's", lambda one: one.client.workload or None
        ),
        Column("connections", "BIGINT", "", "its share of the trial's", lambda one: one.client.connections),
        Column("addresses", "BIGINT", "", "from which it connects", lambda one: one.client.addresses),
        *(column for name in OF_A_CLIENT for column in seen_by(value_columns(MEASURES[name]), _own)),
    ],
)
