"""Invariants of the tables of imsi: the allocation of visitor IMSIs, and their events."""

from fivenines.load.workloads.invariant import Check, Invariant, Tally

_MUTUAL = """
    SELECT h.h_imsi, h.v_imsi, v.h_imsi AS lent_to FROM h_imsi_details h
    LEFT JOIN v_imsi_info v ON v.v_imsi = h.v_imsi
    WHERE h.v_imsi IS NOT NULL AND (v.h_imsi IS NULL OR v.h_imsi <> h.h_imsi)
    UNION ALL
    SELECT v.h_imsi, v.v_imsi, h.v_imsi AS holds FROM v_imsi_info v
    LEFT JOIN h_imsi_details h ON h.h_imsi = v.h_imsi
    WHERE v.h_imsi IS NOT NULL AND (h.v_imsi IS NULL OR h.v_imsi <> v.v_imsi)
"""

_OWN = """
    SELECT h.h_imsi, v.v_imsi, h.o_id, p.o_id AS partner_of, h.site, v.site AS visitor_site
    FROM v_imsi_info v JOIN h_imsi_details h ON h.h_imsi = v.h_imsi
    JOIN imsi_partner p ON p.p_id = v.p_id
    WHERE p.o_id <> h.o_id OR v.site <> h.site
"""


def _balance(table: str, own: str, other: str) -> str:
    """Return a query for rows whose allocation contradicts the events."""
    return f"""
        SELECT t.{own}, t.{other}, COALESCE(e.held, 0) AS allocated_less_released FROM {table} t
        LEFT JOIN (SELECT {own}, SUM(CASE WHEN event = 'A' THEN 1 ELSE -1 END) AS held
                   FROM imsi_event GROUP BY {own}) e ON e.{own} = t.{own}
        WHERE COALESCE(e.held, 0) <> CASE WHEN t.{other} IS NULL THEN 0 ELSE 1 END
    """


RULES: list[Check] = [
    Invariant(
        "a home IMSI and the visitor IMSI that it holds name each other",
        "one visitor IMSI for one subscriber",
        _MUTUAL,
    ),
    Invariant(
        "a visitor IMSI is lent by a partner of the subscriber's operator, at its site", "AllocateIMSI", _OWN
    ),
    Invariant(
        "a home IMSI holds what its events say",
        "an event for each allocation and release",
        _balance("h_imsi_details", "h_imsi", "v_imsi"),
    ),
    Invariant(
        "a visitor IMSI is lent as its events say",
        "an event for each allocation and release",
        _balance("v_imsi_info", "v_imsi", "h_imsi"),
    ),
    Invariant(
        "an event is an allocation or a release",
        "AllocateIMSI, ReleaseIMSI",
        "SELECT e_id, event FROM imsi_event WHERE event NOT IN ('A', 'R')",
    ),
    Tally(
        "allocations: those before + allocated",
        "acknowledged transactions",
        "SELECT COUNT(*) FROM imsi_event WHERE event = 'A'",
        {"allocate_imsi": 1},
    ),
    Tally("no home IMSI comes or goes", "population", "SELECT COUNT(*) FROM h_imsi_details"),
    Tally("no visitor IMSI comes or goes", "population", "SELECT COUNT(*) FROM v_imsi_info"),
]
