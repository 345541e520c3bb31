"""Answers of the name server of the lab."""

import json
from pathlib import Path

import dns.flags
import dns.message
import dns.rcode
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from fivenines.failover.proxies.dns_name import NAME
from fivenines.lab.network.name_server import answer


@pytest.fixture
def zone(tmp_path: Path) -> Path:
    file = tmp_path / "zone.json"
    file.write_text(json.dumps({"name": NAME, "address": "10.99.0.12", "ttl": 7}))
    return file


def asked(zone: Path, name: str, kind: str = "A") -> dns.message.Message:
    question = dns.message.make_query(name, kind)
    reply = answer(question.to_wire(), zone)
    assert reply is not None
    message = dns.message.from_wire(reply)
    assert question.is_response(message)
    return message


def test_the_name_has_the_address_and_the_time_to_live_of_its_file(zone: Path) -> None:
    message = asked(zone, NAME)
    (records,) = message.answer
    assert [str(record) for record in records] == ["10.99.0.12"] and records.ttl == 7
    assert message.flags & dns.flags.AA
    zone.write_text(json.dumps({"name": NAME, "address": "10.99.0.11", "ttl": 0}))
    (records,) = asked(zone, NAME.upper()).answer
    assert [str(record) for record in records] == ["10.99.0.11"] and records.ttl == 0


def test_the_name_has_no_other_addresses(zone: Path) -> None:
    message = asked(zone, NAME, "AAAA")
    assert message.rcode() == dns.rcode.NOERROR and not message.answer


def test_there_are_no_other_names(zone: Path) -> None:
    assert asked(zone, "www.lab.internal").rcode() == dns.rcode.NXDOMAIN


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=80))
def test_other_datagrams_end_nothing(zone: Path, datagram: bytes) -> None:
    reply = answer(datagram, zone)
    assert reply is None or dns.message.from_wire(reply, ignore_trailing=True)


def test_an_answer_is_no_question(zone: Path) -> None:
    reply = dns.message.make_response(dns.message.make_query(NAME, "A"))
    assert answer(reply.to_wire(), zone) is None
