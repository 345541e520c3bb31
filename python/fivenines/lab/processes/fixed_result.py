"""Shell commands that always succeed or always fail, whatever they run."""

import re

_TRUE = r"(?:(?:/usr)?/bin/)?true|:"
_SUCCESS = rf"(?:{_TRUE}|exit\s+0+)"
_NEVER = re.compile(rf"(?:(?:/usr)?/bin/)?false|exit\s+0*[1-9]\d*|!\s+(?:{_TRUE})")

# The last command of a list, or the one behind `||`, decides about the whole.
_ALWAYS_AT_THE_END = re.compile(rf"(?:(?P<before>.*)(?:[;\n]|\|\|)\s*)?{_SUCCESS}", re.DOTALL)
_ALWAYS_ALONE = re.compile(r"exit|(?:echo|sleep)(?:\s[^;&|<>()`$\n]*)?")

# A list that may end before its last command.
_MAY_END_EARLY = re.compile(r"\b(?:exit|return|exec|kill)\b|\bset\s+-\w*[eo]")

# What may follow the last command.
_COMMENT = re.compile(r"(?:(?:^|\s)#[^'\"\n]*|[;\s]+)$")


def fixed_result(command: str) -> bool | None:
    """Return whether a shell command always succeeds (True) or always fails; None: neither is known."""
    text = command.strip()
    while (shorter := _COMMENT.sub("", text)) != text:
        text = shorter
    if _NEVER.fullmatch(text):
        return False
    if _ALWAYS_ALONE.fullmatch(text):
        return True
    match = _ALWAYS_AT_THE_END.fullmatch(text)
    return True if match and not _MAY_END_EARLY.search(match["before"] or "") else None
