"""Histories from the literature, and what their authors say of them.

Elle: github.com/jepsen-io/elle, `test/elle/list_append_test.clj` and `histories/`. Adya: A. Adya, "Weak
Consistency" (PhD thesis, MIT 1999) and Adya, Liskov, O'Neil, "Generalized Isolation Level Definitions"
(ICDE 2000); their registers are lists here, so that the order of versions shows in a last read.
"""

import pytest
from histories import Txn, example, judged, txn

ELLE = {
    "graph-test, serializable figure 3 from Adya, Liskov, O'Neil": (
        ["az1ax1ay1", "rx1ay2", "ry12az3", "rz13"],
        {},
    ),
    "graph-test, G0: write cycle": (["ax1ay1", "ax2ay2", "rx12ry21"], {"G0": {1, 2}}),
    "graph-test, G1c: circular information flow": (["ax1ry1", "ax2ay1", "rx12"], {"G1c": {1, 2}}),
    "graph-test, G2: anti-dependency cycle": (["rxay1", "ryax1", "rx1ry1"], {"G2-item": {1, 2}}),
    "checker-test, G-single": (["ax1ay1", "ax2ry", "rx12"], {"G-single": {1, 2}}),
    "checker-test, G2": (["ax1ry", "ay1rx"], {"G2-item": {1, 2}}),
    "checker-test, G1b": (["ax1ax2", "rx1"], {"G1b": {1, 2}, "G-single": {1, 2}}),
    "checker-test, contradictory read orders": (
        ["ax1ry1", "ax2", "ax3ay1", "rx13", "rx123"],
        {"incompatible-order": {4}, "G1c": {1, 2, 3}},
    ),
    "g1b-cases, internal reads": (["ax1rx1ax2"], {}),
    "internal-cases, good": (["ax1ax2", "ay5ay6", "ry56ax3rx123ax4rx1234"], {}),
    "internal-cases, append-read": (["ax1ax2", "ax4", "ax3rx1234"], {"internal": {3}, "G1c": {2, 3}}),
    "internal-cases, future read external": (["ax0", "rx012ax1", "ax2"], {"internal": {2}, "G1c": {2, 3}}),
    "internal-cases, future read internal": (["ax1rx10ax0ax3"], {"internal": {1}}),
    "internal-cases, FaunaDB example": (["ax6rx"], {"internal": {1}}),
}


@pytest.mark.parametrize("name", ELLE)
def test_histories_of_elles_own_tests(name: str) -> None:
    texts, expected = ELLE[name]
    result = judged(*(txn(number, text) for number, text in enumerate(texts, 1)))
    for kind, members in expected.items():
        assert set(example(result, kind).transactions) == members, result
    derived = {"G1b"} if "future read internal" in name else set()
    assert set(result.counts) - derived - {"G-single"} == set(expected) - {"G-single"}, result


def test_internal_cases_read_append_read() -> None:
    stale, extension, short = "rx12ax3rx12", "rx12ax4rx12345", "rx12ax6rx1"
    result = judged(
        txn(1, "ax1"), txn(2, "ax2"), txn(3, stale), txn(4, extension), txn(5, "ax5"), txn(6, short)
    )
    assert {a.transactions[0] for a in result.examples if a.kind == "internal"} == {3, 4, 6}


def test_g1a_cases() -> None:
    # T2 and T3 read the 1 of T1, which failed; and T2's 2 stands on it
    result = judged(txn(1, "ax1", "failed"), txn(2, "rx1ax2"), txn(3, "rx12ry3"), txn(4, "ay3"))
    read = [a.transactions for a in result.examples if a.kind == "G1a"]
    assert read == [[1, 2], [1, 3]]
    assert example(result, "dirty-update").transactions == [1, 2]


def test_info_reads_prove_nothing() -> None:
    # "T1 appends 2 to x after T2 ... However, T1's crashed read of y = nil does NOT mean T1 < T2."
    result = judged(txn(1, "ax2ry-", "in_doubt"), txn(2, "ax1ay1"), txn(3, "rx12ry1"))
    assert result.counts == {}


def test_several_appends_without_reads_come_after_the_empty_read() -> None:
    assert judged(txn(1, "rx"), txn(2, "ax1"), txn(3, "ax2")).counts == {}
    result = judged(txn(1, "rxry1"), txn(2, "ax1"), txn(3, "ax2ay1"))
    assert set(example(result, "G-single").transactions) == {1, 3}


def test_the_papers_example() -> None:
    """histories/paper-example.edn, figure 1 of the paper: T2, T3 and T4 close a cycle with one rw."""
    result = judged(
        Txn(
            1,
            [
                *(("append", 253, n) for n in (1, 3, 4)),
                *(("append", 255, n) for n in (2, 3, 4, 5)),
                ("append", 256, 1),
                ("append", 256, 2),
            ],
        ),
        Txn(2, [("append", 255, 8), ("read", 253, [1, 3, 4])]),
        Txn(
            3,
            [
                ("append", 256, 4),
                ("read", 255, [2, 3, 4, 5, 8]),
                ("read", 256, [1, 2, 4]),
                ("read", 253, [1, 3, 4]),
            ],
        ),
        Txn(
            4,
            [("append", 250, 10), ("read", 253, [1, 3, 4]), ("read", 255, [2, 3, 4, 5]), ("append", 256, 3)],
        ),
    )
    # T3 wrote 4 behind [1, 2] and T4's 3 was never seen, so it comes later: T3 < T4; but T4 did not see
    # T2's 8, which T3 did: T4 < T2 < T3
    assert result.counts == {"G-single": 1}
    assert set(example(result, "G-single").transactions) == {2, 3, 4}


def test_snapshot_isolation_without_g_single() -> None:
    """histories/si-without-g-single.edn: two rw edges, next to each other and not."""
    result = judged(
        Txn(1, [("append", 9, 2)]),
        Txn(2, [("append", 8, 1), ("read", 9, [])]),
        Txn(3, [("read", 6, []), ("read", 8, []), ("append", 9, 5)]),
        Txn(4, [("append", 6, 2), ("read", 9, [2])]),
    )
    assert set(result.counts) == {"G2-item"}
    assert {frozenset(a.transactions) for a in result.examples} <= {frozenset({3, 4}), frozenset({1, 2, 3})}


ADYA = {
    # H_wcycle: w1(x1) w2(x2) w2(y2) c2 w1(y1) c1 [x1 << x2, y2 << y1]
    "H_wcycle": (["ax1ay1", "ax2ay2", "rx12ry21"], "G0", {1, 2}),
    # H_1: r1(x0, 5) w1(x1, 1) r2(x1, 1) r2(y0, 5) c2 r1(y0, 5) w1(y1, 9) c1
    "H_1, dirty read of an uncommitted transfer": (["rxax1ryay1", "rx1ry", "rx1ry1"], "G-single", {1, 2}),
    # H_2: r2(x0, 5) r1(x0, 5) w1(x1, 1) r1(y0, 5) w1(y1, 9) c1 r2(y1, 9) c2
    "H_2, inconsistent analysis": (["rxax1ryay1", "rxry1", "rx1ry1"], "G-single", {1, 2}),
    # H_wskew: r1(x0) r1(y0) r2(x0) r2(y0) w1(x1) w2(y2) c1 c2
    "H_wskew, write skew": (["rxryax1", "rxryay2", "rx1ry2"], "G2-item", {1, 2}),
    # lost update (Berenson et al. 1995, P4): r1(x) r2(x) w2(x) c2 w1(x) c1
    "P4, lost update": (["rxax1", "rxax2", "rx21"], "lost-update", {1, 2}),
}


@pytest.mark.parametrize("name", ADYA)
def test_histories_of_adya(name: str) -> None:
    texts, kind, members = ADYA[name]
    result = judged(*(txn(number, text) for number, text in enumerate(texts, 1)))
    assert set(example(result, kind).transactions) == members
    assert set(result.counts) <= {kind, "G-single"}
