import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from pipeline.report.plain import plain


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), None),
        (float("inf"), None),
        (0.5, 0.5),
        (True, True),
        (Decimal(7), 7),
        (Decimal("7.5"), 7.5),
        (datetime(2026, 1, 5, 8, 0, 0, 250_000), "2026-01-05T08:00:00.250000Z"),
        (datetime(2026, 1, 5, 10, tzinfo=timezone(timedelta(hours=2))), "2026-01-05T08:00:00Z"),
        (datetime(2026, 1, 5, 8, tzinfo=UTC), "2026-01-05T08:00:00Z"),
        (date(2026, 1, 5), "2026-01-05"),
        ({"a": (1, None)}, {"a": [1, None]}),
        (b"bytes", "b'bytes'"),
    ],
)
def test_every_value_has_a_form_in_json(value, expected):
    """Values of a query become JSON's types, none of them one that JSON cannot write."""
    assert plain(value) == expected
    json.dumps(plain(value), allow_nan=False)
