"""Values of the store as JSON knows them."""

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any


def plain(value: Any) -> Any:  # noqa: ANN401 - any value a query may return
    """Return the value in the types of JSON: no NaN, times as ISO 8601 in UTC; strings stay as they are."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case datetime():
            aware = value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
            return aware.isoformat().replace("+00:00", "Z")
        case date():
            return value.isoformat()
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return str(value)
