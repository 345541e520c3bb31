"""Show what `fivenines tune` measured, and write the experiment that proves it."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fivenines.cli.output import console

if TYPE_CHECKING:
    from fivenines.analysis.availability.needless_rate import NeedlessRate
    from fivenines.analysis.decision.judging import Judgement, Status
    from fivenines.analysis.decision.tuning import SetResult, Wanted
    from fivenines.cli.timeouts.asked import Found
    from fivenines.cli.timeouts.sets import TimeoutSet

# Name of the results in the run's folder.
RESULT = "tune.json"


def list_sets(sets: "Sequence[TimeoutSet]", seconds: float) -> None:
    """Print the sets of timeouts, and how long one takes."""
    from fivenines.base.units import about

    keys = list(sets[0].values)
    names = [key.removeprefix("manager.") for key in keys]
    rows = [[one.name, *(one.values[key] for key in keys)] for one in sets]
    console.table(["Set", *names], rows, right=names)
    console.say(f"at most {about(seconds)} for each set that is measured")


def note(one: "TimeoutSet", result: "SetResult") -> None:
    """Report a set as soon as it is measured."""
    console.note(
        f"{one.name}: outage {_outage(result)}; survives {_survived(result)}; "
        f"{_needless(result.rate)} needless failovers a year: {_calm(result)}",
        "bold",
    )


def show(found: "Found", file: Path, folder: Path, as_json: bool) -> None:
    """Print all sets and the recommendation; write the results, and the file that proves them."""
    from fivenines.analysis.decision.tuning import recommended
    from fivenines.results import layout

    best = recommended(list(found.measured.values()), found.given)
    chosen = found.named[best.name] if best is not None else None
    proof = _prove(found, chosen, file) if chosen is not None else None
    values = _as_dict(found, chosen, proof)
    (folder / RESULT).write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if as_json:
        console.as_json(values)
        return
    columns = ["Set", "Outage", "Survives", "Needless a year", "Requirements"]
    rows = [_row(found, one, chosen) for one in found.named.values()]
    console.table(columns, rows, right=columns[1:4])
    for one in found.named.values():
        console.say_hanging(f"{one.name}: {one.words}", len(one.name) + 2)
    for sentence in sentences(found, best):
        console.say(sentence)
    for name, result in found.results.items():
        if result.split_beyond is not None:
            console.say(
                f"{name}: two primaries after a hiccup of {result.split_beyond:.1f} s, which is longer than "
                "99.9 % of the expected ones.",
                "yellow",
            )
    if found.unfinished:
        console.say("The budget ended the search. Continue it with --resume and a longer --budget.", "yellow")
    if proof is not None:
        console.say(f"prove it: fivenines run {proof}")
    console.say(f"report: {folder / layout.REPORT}", "bold")


def sentences(found: "Found", best: "SetResult | None") -> list[str]:
    """Return the recommendation, and what a quicker or calmer set gives up."""
    from fivenines.analysis.wording import listed

    results, given = list(found.measured.values()), found.given
    if best is None:
        calm = [one for one in (given, *results) if one.calm]
        if not calm:
            return ["No measured set has few enough needless failovers. Allow more, or look at the hiccups."]
        slow = "; ".join(f"{one.name} has an outage of {_outage(one)}" for one in calm)
        restless = [one.name for one in (given, *results) if not one.calm]
        more = f" {listed(restless)}: too many needless failovers." if restless else ""
        return [f"No measured set meets all requirements: {slow}.{more}"]
    text = "Keep the settings as given" if best is given else f"Recommended: {found.named[best.name].words}"
    lines = [f"{text}. {_evidence(best)}"]
    if best is not given:
        lines.append(
            f"As given: outage {_outage(given)} instead of {_outage(best)}, "
            f"{_needless(given.rate)} needless failovers a year instead of {_needless(best.rate)}."
        )
    place = next((index for index, one in enumerate(results) if one is best), None)
    if place is not None and place > 0:
        lines.append(f"Shorter timeouts ({results[place - 1].name}): {_against(results[place - 1])}.")
    if place is not None and place + 1 < len(results):
        lines.append(f"Longer timeouts ({results[place + 1].name}): {_against(results[place + 1])}.")
    return lines


def _evidence(best: "SetResult") -> str:
    """Return what the trials prove, and what they do not."""
    from fivenines.analysis.wording import count

    open_ones = [one for one in best.judgements if one.status == "inconclusive"]
    deaths = count(best.deaths.complete if best.deaths is not None else 0, "death")
    trials = sum(len(one.outcomes) for one in best.searches.values())
    seen = f"Seen in {deaths} and {count(trials, 'hiccup')}"
    missing = [f"{one.requirement.text} ({_more(one)})" for one in open_ones]
    if best.needless == "inconclusive":
        missing.append("the limit of needless failovers")
    return (
        f"{seen}; not proven: {', '.join(missing)}." if missing else f"{seen}; all requirements are proven."
    )


def _more(one: "Judgement") -> str:
    from fivenines.analysis.wording import count

    return "the trials show neither" if one.more is None else f"{count(one.more, 'more trial')} would decide"


def _against(one: "SetResult") -> str:
    return f"outage {_outage(one)}, {_needless(one.rate)} needless failovers a year"


def _row(found: "Found", one: "TimeoutSet", chosen: "TimeoutSet | None") -> list[str]:
    result = found.results[one.name]
    verdicts = _verdicts(result, found.asked.wanted)
    missed = [text for text, status in verdicts.items() if status == "missed"]
    unproven = [text for text, status in verdicts.items() if status == "inconclusive"]
    return [
        f"{one.name} *" if one is chosen else one.name,
        _outage(result),
        _survived(result),
        _needless(result.rate),
        _verdict(missed, unproven),
    ]


def _verdicts(result: "SetResult", wanted: "Wanted") -> "dict[str, Status]":
    """Return the verdict on each requirement, by its text."""
    return {
        wanted.needless.text: result.needless,
        **{item.requirement.text: item.status for item in result.judgements},
    }


def _verdict(missed: Sequence[str], unproven: Sequence[str]) -> str:
    """Return the requirements that are not met, and those that are not proven."""
    parts = {"missed": missed, "not proven": unproven}
    return "; ".join(f"{words}: {', '.join(texts)}" for words, texts in parts.items() if texts) or "met"


def _outage(result: "SetResult") -> str:
    from fivenines.report.terminal.summary import outage_text

    return "unknown" if result.deaths is None else outage_text(result.deaths.writes)


def _survived(result: "SetResult") -> str:
    from fivenines.report.chapters.availability.tolerance import threshold_text

    return ", ".join(f"{fault} {threshold_text(one.threshold)}" for fault, one in result.searches.items())


def _needless(rate: "NeedlessRate | None") -> str:
    from fivenines.analysis.wording import bearable

    return "an unknown number of" if rate is None else bearable(rate.median, rate.low, rate.high)


def _calm(result: "SetResult") -> str:
    if result.needless == "met":
        return "few enough"
    return "few enough, not proven" if result.calm else "too many"


def _prove(found: "Found", chosen: "TimeoutSet", file: Path) -> Path:
    """Write the experiment that repeats the recommended and the given settings with more trials."""
    from fivenines.cli.timeouts.proof import proof_text

    path = file.with_name(f"{file.stem}-proof{file.suffix}")
    path.write_text(proof_text(found.asked, [chosen.name, found.asked.given.name]), encoding="utf-8")
    return path


def _as_dict(found: "Found", chosen: "TimeoutSet | None", proof: Path | None) -> dict[str, Any]:
    """Return everything for other programs: times in seconds."""
    from fivenines.report.export.plain import plain

    asked = found.asked
    return {
        "solution": asked.solution,
        "requirements": [*(one.text for one in asked.wanted.conditions), asked.wanted.needless.text],
        "hiccups": [model.text for model in asked.models],
        "recommended": chosen.name if chosen is not None else None,
        "finished": not found.unfinished,
        "proof": str(proof) if proof is not None else None,
        "sets": [
            {
                "name": name,
                "settings": dict(one.values),
                "outage_ms": plain(result.deaths.writes.summary) if result.deaths is not None else None,
                "survives_s": {fault: plain(item.threshold) for fault, item in result.searches.items()},
                "split_brain_beyond_s": result.split_beyond,
                "needless_per_year": plain(result.rate) if result.rate is not None else None,
                "verdicts": _verdicts(result, asked.wanted),
            }
            for name, one in found.named.items()
            for result in [found.results[name]]
        ],
    }
