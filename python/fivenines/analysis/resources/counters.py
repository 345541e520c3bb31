"""Counters and hosts of a trial as curves, and the resources that one transaction uses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fivenines.analysis.consistency.checkpoints import LAG, WHOLE, lags
from fivenines.analysis.replication.replicated_disk import disk_curves
from fivenines.analysis.resources.disk import DEVICE, WRITTEN, Written, server_written, written
from fivenines.analysis.resources.member_states import STATE, state_curves
from fivenines.analysis.resources.panels import (
    ALWAYS,
    DISKS,
    DRAWN,
    FSYNCS,
    HOSTS,
    MARIADB,
    NDB,
    POSTGRES,
    Panel,
)
from fivenines.analysis.resources.series import Samples, Series, gain_between, mean_between, rates, summed
from fivenines.analysis.tables import Columns, by_trial, split
from fivenines.results.records import TrialRecord
from fivenines.results.store import StoredTrial

_COUNTERS = """
    SELECT trial, node AS who, t_ms, name, value FROM rows
    WHERE name IN ({names}) ORDER BY trial, node, t_ms
"""
_DEVICE = f"SELECT trial, t_ms, value FROM rows WHERE name = '{DEVICE}' ORDER BY trial, t_ms"
_CHARGED = "disk_written_bytes"
_HOSTS = "SELECT trial, host, t_ms, {names} FROM rows ORDER BY trial, host, t_ms"


@dataclass(frozen=True)
class Watched:
    """The samples of one trial; `hosts` contains `charged` only where it is plausible."""

    counters: Samples = field(default_factory=dict)
    hosts: Samples = field(default_factory=dict)
    # Bytes written to the block device below the run.
    device: Series | None = None
    # Bytes that the kernel charged each host's processes with.
    charged: dict[str, Series] = field(default_factory=dict)


@dataclass(frozen=True)
class Gained:
    """Resources that all nodes together used in a time, as in `PerTransaction`; None: not sampled."""

    fsyncs: float | None
    written: float | None
    network: float | None


@dataclass(frozen=True)
class PerTransaction:
    """Resources per transaction in the steady window, all nodes together; None: not sampled.

    `fsyncs` and `written` bytes as servers count them (`written` is also None where the block device saw
    less); `network` is the sum of the bytes that hosts sent, so each byte counts once.
    """

    fsyncs: float | None
    written: float | None
    network: float | None


def watched(trials: Sequence[StoredTrial]) -> dict[str, Watched]:
    """Return the samples of each trial by its id; a damaged table counts as absent."""
    counters = samples(trials, DRAWN)
    hosts = host_samples(trials, [name for panel in HOSTS for name in panel.names])
    device = by_trial(trials, "machine", _DEVICE)
    derived = _derived(trials)
    return {
        trial.folder.name: _watched(
            trial.record,
            {**counters.get(trial.folder.name, {}), **derived.get(trial.folder.name, {})},
            hosts.get(trial.folder.name, {}),
            device.get(trial.folder.name),
        )
        for trial in trials
    }


def _derived(trials: Sequence[StoredTrial]) -> dict[str, Samples]:
    """Return the curves from logs and from other members, which are drawn alongside counters."""
    samples: dict[str, Samples] = {trial: {STATE: curves} for trial, curves in state_curves(trials).items()}
    for trial, series in lags(trials).items():
        samples.setdefault(trial, {})[LAG] = {WHOLE: series}
    for trial, curves in disk_curves(trials).items():
        samples.setdefault(trial, {}).update(curves)
    return samples


def samples(trials: Sequence[StoredTrial], names: Sequence[str]) -> dict[str, Samples]:
    """Return the samples of these counters by trial.

    A counter that a sample lacks counts as 0; `ALWAYS` adds counters that each sample has, so that none is
    missed.
    """
    requested = ", ".join(f"'{name}'" for name in dict.fromkeys([*ALWAYS, *names]))
    rows = by_trial(trials, "counters", _COUNTERS.format(names=requested))
    return {trial: pivoted(columns) for trial, columns in rows.items()}


def host_samples(trials: Sequence[StoredTrial], figures: Sequence[str]) -> dict[str, Samples]:
    """Return columns of the table `hosts` by trial, without missing values."""
    requested = ", ".join(f"coalesce({name}::DOUBLE, 'nan'::DOUBLE) AS {name}" for name in figures)
    rows = by_trial(trials, "hosts", _HOSTS.format(names=requested))
    return {trial: _known(columns, figures) for trial, columns in rows.items()}


def _watched(record: TrialRecord, counters: Samples, hosts: Samples, device: Columns | None) -> Watched:
    by_servers = server_written(counters)
    watched = Watched(
        {**counters, WRITTEN: by_servers} if by_servers else counters,
        hosts,
        Series(device["t_ms"], device["value"]) if device else None,
        hosts.get(_CHARGED, {}),
    )
    end = record.windows.end if record.windows else 0.0
    if not witnesses(watched, record, 0.0, end).charge_believed:
        # A charge without confirmation is neither drawn nor averaged.
        watched.hosts.pop(_CHARGED, None)
    return watched


def witnesses(seen: Watched, record: TrialRecord, start: float, end: float) -> Written:
    """Return bytes written by the database nodes in a window (ms), as servers, kernel and device count
    them.
    """
    servers, deployment = seen.counters.get(WRITTEN, {}), record.deployment
    hosts = deployment.hosts.items() if deployment else ()
    nodes = {name for name, host in hosts if host.kind == "node"} or set(servers)
    return written(servers, seen.charged, seen.device, nodes, (start, end))


def curve(samples: Samples, panel: Panel) -> dict[str, Series]:
    """Return the curve of a panel for each node or host that has any of its figures."""
    result = {}
    for who, series in summed(samples, panel.names).items():
        drawn = rates(series) if panel.kind == "rate" else series
        result[who] = Series(drawn.t, drawn.v * panel.scale)
    return result


def steady_mean(samples: Samples, panel: Panel, start: float, end: float) -> dict[str, float]:
    """Return the mean of a panel's figure in a window (ms) for each node or host."""
    result = {}
    for who, series in summed(samples, panel.names).items():
        if panel.kind == "gauge":
            mean = mean_between(series, start, end)
        else:
            gained = gain_between(series, start, end)
            mean = None if gained is None else 1000 * gained / (end - start)
        if mean is not None:
            result[who] = mean * panel.scale
    return result


def panels_of(counters: Samples) -> tuple[Panel, ...]:
    """Return the panels of the kind of server that these counters are of, without those that stay at 0."""
    servers = POSTGRES if "pg_stat_database.xact_commit" in counters else (*NDB, *MARIADB)
    panels = (*DISKS, *servers)
    return tuple(panel for panel in panels if _moves(counters, panel))


def host_panels(hosts: Samples) -> tuple[Panel, ...]:
    """Return the panels of hosts, without those that stay at 0."""
    return tuple(panel for panel in HOSTS if _moves(hosts, panel))


def gained(seen: Watched, record: TrialRecord, start: float, end: float) -> Gained:
    """Return the gains of counters between `start` and `end` (ms)."""
    fsyncs = _gained(summed(seen.counters, FSYNCS), start, end)
    written = witnesses(seen, record, start, end)
    sent = _gained(seen.hosts.get("net_sent_bytes", {}), start, end)
    return Gained(fsyncs, written.servers if written.servers_believed else None, sent)


def per_transaction(result: Gained, transactions: float) -> PerTransaction:
    """Return the resources per transaction, of `transactions` in the same time."""

    def each(gained: float | None) -> float | None:
        return gained / transactions if gained is not None and transactions > 0 else None

    return PerTransaction(each(result.fsyncs), each(result.written), each(result.network))


def _gained(series: Mapping[str, Series], start: float, end: float) -> float | None:
    result = [gain_between(item, start, end) for item in series.values()]
    known = [gain for gain in result if gain is not None]
    return sum(known) if known else None


def _moves(samples: Samples, panel: Panel) -> bool:
    return any(bool(np.nansum(series.v) > 0) for series in curve(samples, panel).values())


def pivoted(columns: Columns) -> Samples:
    """Return every name at every moment of its node (`who`); a name that a sample lacks was 0."""
    samples: Samples = {}
    for node, rows in split(columns, "who").items():
        moments, place = np.unique(rows["t_ms"], return_inverse=True)
        for name in np.unique(rows["name"]):
            chosen = rows["name"] == name
            values = np.zeros(len(moments))
            values[place[chosen]] = rows["value"][chosen]
            samples.setdefault(str(name), {})[node] = Series(moments, values)
    return samples


def _known(columns: Columns, figures: Sequence[str]) -> Samples:
    samples: Samples = {}
    for host, rows in split(columns, "host").items():
        for name in figures:
            known = ~np.isnan(rows[name])
            samples.setdefault(name, {})[host] = Series(rows["t_ms"][known], rows[name][known])
    return samples
