"""Parser of study files: returns a study with experiments and tests, or one error with all mistakes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from fivenines.base.errors import UsageError
from fivenines.experiment import document, parts, source
from fivenines.experiment.document import Document
from fivenines.experiment.source import Part
from fivenines.experiment.validation.mistakes import (
    KeyPath,
    Mistake,
    dotted,
    from_validation,
    shown,
    validated,
)
from fivenines.studies import naming
from fivenines.studies.models import Form, Study

FORMS: tuple[Form, ...] = ("quick", "full")

# Keys that are merged for a form: those of the study, then those of the part.
_LAYERS: Mapping[Form, Sequence[str]] = {"full": ("experiment",), "quick": ("experiment", "quick")}


@dataclass(frozen=True)
class Loaded:
    """A study that was read and checked.

    Attributes:
        study: the study.
        source: its file.
        experiments: the parts in each form, in the order of the file.
    """

    study: Study
    source: Document
    experiments: Mapping[Form, Sequence[Part]]


def load_study(path: Path) -> Loaded:
    """Return the study in a file.

    Raises:
        UsageError: the file cannot be read or has mistakes; the message lists all with line and column.
    """
    return parse_study(document.read_text(path), str(path))


def parse_study(text: str, file: str) -> Loaded:
    """Parse the text of a study; `file` is its name in messages."""
    read = document.parse(text, file)
    if not isinstance(read.data, dict):
        keys = ", ".join(Study.model_fields)
        raise UsageError(
            f"{file}:{read.place(())}: found {shown(read.data)}, but a study is a mapping"
            f"\n    allowed: the keys {keys}"
        )
    result = list(read.mistakes)
    study: Study | None = None
    try:
        study = validated(Study, read.data)
    except ValidationError as error:
        result += from_validation(Study, error.errors())
    experiments, others = _experiments(read)
    if study is not None:
        result += _claim_mistakes(study)
        if not others:
            result += naming.mistakes(study, experiments)
    source.require_sound(read, _first_of_each_place(result), others)
    assert study is not None
    return Loaded(study, read, experiments)


def _experiments(read: Document) -> tuple[dict[Form, list[Part]], list[Mistake]]:
    """Return the parts in each form, and the mistakes in them."""
    named = parts.named_mappings(read, ("parts",))
    if "parts" not in read.data:
        return {form: [] for form in FORMS}, []
    mistakes = [source.placed(mistake, read) for mistake in named.mistakes]
    experiments: dict[Form, list[Part]] = {}
    for form in FORMS:
        drafts = [_draft(read, name, form) for name in named.names]
        experiments[form], own = source.experiments(drafts)
        mistakes += own
    return experiments, mistakes


def _draft(read: Document, part: str, form: Form) -> parts.Draft:
    paths: list[KeyPath] = []
    for layer in _LAYERS[form]:
        paths += [(layer,), ("parts", part, layer)]
    merged = parts.merged(read.file, [(read, path) for path in paths])
    merged.values.setdefault((), read.place(("parts", part), key=True))
    title = str(read.data.get("study", ""))
    merged.data.setdefault("name", f"{title}: {part}")
    return parts.Draft(part, title, merged)


def _claim_mistakes(study: Study) -> Iterator[Mistake]:
    """Yield the mistakes of claims with the same id, and of inconsistent tests."""
    seen: set[str] = set()
    for index, claim in enumerate(study.claims):
        here: KeyPath = ("claims", index)
        if claim.id in seen:
            path = (*here, "id")
            yield Mistake(None, path, f"{dotted(path)}: another claim has the id {shown(claim.id)}")
        seen.add(claim.id)
        for text in claim.test.problems():
            yield Mistake(None, (*here, "test"), f"{dotted(here)}.test.{text}")


def _first_of_each_place(mistakes: Sequence[Mistake]) -> list[Mistake]:
    return list({(item.path, item.at_key, item.text): item for item in mistakes}.values())
