"""A name server in the lab, a program: answers questions about one name, over UDP.

It reads the name, its address and its time to live from a file for every question, so that a new answer needs
no signal. It has no other names and asks no other server.
"""

import json
import socketserver
import sys
from pathlib import Path

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset

PORT = 53


def answer(question: bytes, zone: Path) -> bytes | None:
    """Return the answer to a question in the DNS's wire format; None: it is not a question.

    Args:
        question: a datagram.
        zone: a JSON file with `name`, `address` (IPv4) and `ttl` (s).
    """
    try:
        message = dns.message.from_wire(question)
    except (dns.exception.DNSException, ValueError):
        return None
    if message.flags & dns.flags.QR or not message.question:
        return None
    known = json.loads(zone.read_text())
    reply = dns.message.make_response(message, recursion_available=True)
    reply.flags |= dns.flags.AA
    asked = message.question[0]
    if asked.name != dns.name.from_text(known["name"]):
        reply.set_rcode(dns.rcode.NXDOMAIN)
    elif asked.rdtype == dns.rdatatype.A:
        reply.answer.append(dns.rrset.from_text(asked.name, known["ttl"], "IN", "A", known["address"]))
    # Other types of the name, as IPv6 addresses, exist nowhere: an answer without records.
    return reply.to_wire()


class _Question(socketserver.BaseRequestHandler):
    """Answers one datagram."""

    zone: Path

    def handle(self) -> None:
        question, socket = self.request
        if (reply := answer(question, self.zone)) is not None:
            socket.sendto(reply, self.client_address)


def main(address: str, zone: str, ready: str) -> None:
    """Print `ready` once it listens at an address; answer until the process is ended."""
    _Question.zone = Path(zone)
    with socketserver.UDPServer((address, PORT), _Question) as server:
        print(ready, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
