"""Copies finished trials to shared storage in the background; the run never waits for it."""

from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from fivenines.base.errors import FiveninesError
from fivenines.base.threads import Background
from fivenines.results import store
from fivenines.results.storage import Storage
from fivenines.trial.progress import Progress, TrialFinished

Say = Callable[[str], None]


class Copies:
    """A listener of a campaign.

    Args:
        run: the run's folder.
        storage: where copies go.
        say: called from another thread with a sentence about each failed copy.
    """

    def __init__(self, run: Path, storage: Storage, say: Say) -> None:
        self.failed: dict[str, str] = {}
        self._run, self._storage, self._say = run, storage, say
        self._waiting: SimpleQueue[str] = SimpleQueue()
        self._thread = Background(target=self._copy_always, name="copies")
        self._begun = False

    def __call__(self, event: Progress) -> None:
        """Copy a trial once it is finished."""
        if isinstance(event, TrialFinished):
            if not self._begun:
                self._begun = True
                self._thread.start()
            self._waiting.put(event.record.id)

    @property
    def left(self) -> int:
        """Return the number of trials that are still to be copied."""
        return self._waiting.qsize()

    def finish(self) -> None:
        """Copy remaining trials, earlier failures, and the run's other files.

        Raises:
            FiveninesError: a file could not be copied; the local run is complete all the same.
        """
        if self._begun:
            self._waiting.put("")
            self._thread.join()
        copy_all(self._run, self._storage, self._say)

    def _copy_always(self) -> None:
        while trial := self._waiting.get():
            try:
                self._storage.put(self._run, trial)
            except FiveninesError as error:
                self.failed[trial] = str(error)
                self._say(f"warning: {error}; fivenines retries at the end of the run")


def copy_all(run: Path, storage: Storage, say: Say) -> int:
    """Copy all files of a run that the storage lacks; return the number of trials.

    Raises:
        FiveninesError: a file could not be copied.
    """
    existing = storage.trials(run.name)
    result = store.open_run(run)
    every = [trial.record.id for trial in result.complete] + [block.record.id for block in result.blocks]
    todo = [trial for trial in every if trial not in existing]
    for number, trial in enumerate(todo, start=1):
        if number % 50 == 1 and len(todo) > 1:
            say(f"copying {number} of {len(todo)} trials to {storage.url}")
        storage.put(run, trial)
    storage.put_rest(run)
    return len(todo)
