"""What every transport does with a request: check it, spool it, count it."""

import hmac
import time
from dataclasses import dataclass, field

from collectors.otlp.bodies import DEFAULT_LIMIT
from collectors.otlp.counts import Counts
from collectors.otlp.decode import Checked, check
from collectors.otlp.model import Encoding, MalformedError, Signal
from collectors.otlp.spool import Done, FullError, Spool
from collectors.otlp.spool_files import Frame

RETRY_SECONDS = 2
"""What a sender is told to wait; asked for more than their timeout of 10 s, clients drop the batch at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """The receiving side, whatever the transport."""

    spool: Spool
    token: str | None = None
    """What the header `Authorization: Bearer` must hold; None lets everyone in."""
    limit: int = DEFAULT_LIMIT
    """Upper bound of a body in bytes, before and after decompression."""
    counts: Counts = field(default_factory=Counts)

    def is_allowed(self, authorization: bytes) -> bool:
        """Tell whether the value of the Authorization header lets a request in; in constant time."""
        if self.token is None:
            return True
        scheme, _, given = authorization.partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self.token.encode())

    def take(self, body: bytes, *, signal: Signal, encoding: Encoding, done: Done) -> Checked:
        """Check a plain body and give it to the spool; `done` is called once its answer may be sent.

        Raises:
            MalformedError: it is no such request.
            FullError: it cannot be kept for now.
        """
        try:
            checked = check(body, signal=signal, encoding=encoding)
        except MalformedError:
            self.counts.add("recoup_records_rejected_total", reason="malformed_request")
            raise
        if signal == "metrics" or not checked.count:
            # nothing of it is kept
            self._count(checked, signal)
            done(None)
            return checked
        frame = Frame(signal, encoding, time.time_ns(), checked.rejected, checked.repaired, body)
        try:
            self.spool.append(frame, done)
        except FullError:
            self.counts.add("recoup_records_rejected_total", checked.count, reason="spool_full")
            raise
        self._count(checked, signal)
        return checked

    def _count(self, checked: Checked, signal: Signal) -> None:
        self.counts.add("recoup_records_received_total", checked.count + checked.rejected, signal=signal)
        self.counts.add("recoup_records_accepted_total", checked.count, signal=signal)
        if checked.rejected:
            self.counts.add("recoup_records_rejected_total", checked.rejected, reason="not_a_record")
        if checked.repaired:
            self.counts.add("recoup_records_repaired_total", checked.repaired, signal=signal)
