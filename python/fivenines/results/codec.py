"""Serialise typed values to bytes and back: JSON, followed by the raw bytes of arrays.

Cached figures use it. A value that is read equals the one that was written: integers stay integers, floats
are exact, and NaN and infinity survive. The bytes contain data only; unlike pickle, reading them runs no
code.

Supported types: None, bool, int, float, str, literals, lists, tuples, mappings, dataclasses, pydantic models
and numpy arrays. Of unions, only those with None are supported.
"""

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np
from pydantic import BaseModel

_T = TypeVar("_T")
_PLAIN = (bool, int, float, str, NoneType)
# Number of leading bytes that give the length of the JSON text.
_LENGTH = 8

Arrays = list[np.ndarray[Any, Any]]


_Decode = Callable[[Any, Arrays], Any]


class _Codec(NamedTuple):
    """A pair of functions from a value to JSON and back; arrays are passed in a separate list."""

    encode: Callable[[Any, Arrays], Any]
    decode: _Decode


def dumps(shape: type[_T], value: _T) -> bytes:
    """Serialise a value of the type `shape`."""
    arrays: Arrays = []
    tree = codec_of(shape).encode(value, arrays)
    plain = [np.ascontiguousarray(array) for array in arrays]
    kinds = [[item.dtype.str, list(item.shape)] for item in plain]
    head = json.dumps([tree, kinds], separators=(",", ":")).encode()
    return b"".join([len(head).to_bytes(_LENGTH), head, *(item.tobytes() for item in plain)])


def loads(shape: type[_T], data: bytes) -> _T:
    """Deserialise a value of the type `shape`; its arrays are read-only.

    Raises:
        ValueError: the bytes are not those of such a value.
    """
    try:
        end = _LENGTH + int.from_bytes(data[:_LENGTH])
        tree, kinds = json.loads(data[_LENGTH:end])
        arrays: Arrays = []
        for kind, sizes in kinds:
            count = int(np.prod(sizes, dtype=np.int64))
            arrays.append(np.frombuffer(data, np.dtype(kind), count, end).reshape(sizes))
            end += arrays[-1].nbytes
        return cast(_T, codec_of(shape).decode(tree, arrays))
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"this is no {shape}: {error}") from error


def codec_of(shape: Any) -> _Codec:
    """Return the codec of a type.

    Raises:
        TypeError: the type is not supported.
    """
    return _codec(shape)


@cache
def _codec(shape: Any) -> _Codec:
    origin, inner = get_origin(shape), get_args(shape)
    if shape in _PLAIN or shape is Any or origin is Literal:
        return _Codec(_plain, _same)
    if origin in (Union, UnionType):
        return _optional(inner, shape)
    result = _of_class(shape) or _of_collection(origin, inner)
    if result is None:
        raise TypeError(f"{shape} cannot be written as bytes")
    return result


def _of_class(shape: Any) -> _Codec | None:
    if shape is np.ndarray or get_origin(shape) is np.ndarray:
        return _Codec(_array, lambda index, arrays: arrays[index])
    if dataclasses.is_dataclass(shape):
        return _dataclass(shape)
    if isinstance(shape, type) and issubclass(shape, BaseModel):
        return _Codec(
            lambda item, _: item.model_dump(mode="json"), lambda item, _: shape.model_validate(item)
        )
    return None


def _of_collection(origin: Any, inner: Sequence[Any]) -> _Codec | None:
    if origin is tuple and inner[-1] is not Ellipsis:
        return _fixed(inner)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(*inner)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return _sequence(tuple if origin is tuple else list, inner[0])
    return None


def _same(value: Any, _: Arrays) -> Any:
    return value


def _plain(value: Any, _: Arrays) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _array(value: np.ndarray[Any, Any], arrays: Arrays) -> int:
    arrays.append(value)
    return len(arrays) - 1


def _optional(inner: Sequence[Any], shape: Any) -> _Codec:
    item = [part for part in inner if part is not NoneType]
    if all(part in _PLAIN for part in item):
        return _Codec(_plain, _same)
    if len(item) != 1 or len(inner) != 2:
        raise TypeError(f"{shape} cannot be written as bytes: which of them a value is would not be known")
    known = _codec(item[0])
    return _Codec(
        lambda value, arrays: None if value is None else known.encode(value, arrays),
        lambda value, arrays: None if value is None else known.decode(value, arrays),
    )


def _dataclass(shape: Any) -> _Codec:
    if hasattr(shape, "__post_init__") or "__slots__" in vars(shape):
        raise TypeError(f"{shape} cannot be written as bytes: it is more than its fields")
    hints = get_type_hints(shape)
    names = [field.name for field in dataclasses.fields(shape)]
    parts = [_codec(hints[name]) for name in names]
    encoders = list(zip(names, (part.encode for part in parts), strict=True))
    decoders = _not_plain(parts)

    def decode(values: Any, arrays: Arrays) -> Any:
        # Not by `__init__`, which is slow in frozen classes: values were checked when they were written.
        result = object.__new__(shape)
        vars(result).update(zip(names, _decoded(values, decoders, arrays), strict=True))
        return result

    return _Codec(
        lambda value, arrays: [encode(getattr(value, name), arrays) for name, encode in encoders], decode
    )


def _fixed(inner: Sequence[Any]) -> _Codec:
    parts = [_codec(item) for item in inner]
    decoders = _not_plain(parts)

    def encode(values: Any, arrays: Arrays) -> Any:
        return [part.encode(value, arrays) for part, value in zip(parts, values, strict=True)]

    def decode(values: Any, arrays: Arrays) -> Any:
        if len(values) != len(parts):
            raise ValueError(f"{len(values)} values for {len(parts)} parts")
        return tuple(_decoded(values, decoders, arrays))

    return _Codec(encode, decode)


def _sequence(make: Callable[[Any], Any], inner: Any) -> _Codec:
    part = _codec(inner)
    if part.decode is _same:
        return _Codec(
            lambda values, arrays: [part.encode(value, arrays) for value in values],
            lambda values, _: make(values),
        )
    return _Codec(
        lambda values, arrays: [part.encode(value, arrays) for value in values],
        lambda values, arrays: make([part.decode(value, arrays) for value in values]),
    )


def _not_plain(parts: Sequence[_Codec]) -> list[tuple[int, _Decode]]:
    """Return the decoders of those parts, by their place, that JSON does not hold as they are."""
    return [(index, part.decode) for index, part in enumerate(parts) if part.decode is not _same]


def _decoded(values: list[Any], decoders: Sequence[tuple[int, _Decode]], arrays: Arrays) -> list[Any]:
    """Decode values in place, and return them."""
    for index, decode in decoders:
        values[index] = decode(values[index], arrays)
    return values


def _mapping(key: Any, value: Any) -> _Codec:
    """Return pairs, as JSON's keys are texts only."""
    pairs = _sequence(list, tuple[key, value])
    return _Codec(
        lambda text, arrays: pairs.encode(text.items(), arrays),
        lambda text, arrays: dict(pairs.decode(text, arrays)),
    )
