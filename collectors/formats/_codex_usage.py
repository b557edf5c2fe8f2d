"""Tokens of a Codex response, which older versions count before its calls and newer ones behind them."""

from msgspec.structs import replace

from collectors.formats._codex_calls import fresh_tokens
from collectors.formats._codex_records import Payload, Usage
from collectors.formats._codex_state import Rollout


def take_usage(file: Rollout, payload: Payload) -> None:
    """Note the usage of the response that is being written: its calls have it, or will have it.

    A `token_count` is repeated when nothing was used, and says nothing new where `token_usage_record` is written.
    """
    if payload.usage is not None:
        file.has_usage_records = True
        _charge(file, payload.usage)
        return
    info = payload.info
    if info is None or file.has_usage_records or info.last_token_usage is None:
        return
    total = info.total_token_usage.total_tokens if info.total_token_usage is not None else None
    if total is not None and total == file.total:
        return
    file.total = total
    if not _charge(file, info.last_token_usage):
        file.usage = info.last_token_usage


def _charge(file: Rollout, usage: Usage) -> bool:
    """Add the usage to the calls of the present response; return whether there are any."""
    read = fresh_tokens(usage.input_tokens, usage.cached_input_tokens)
    found = False
    for call_id, pending in list(file.pending.items()):
        if file.step is not None and pending.call.turn_id == file.step and pending.call.output_tokens is None:
            call = replace(pending.call, input_tokens=read, output_tokens=usage.output_tokens)
            file.pending[call_id] = pending._replace(call=call)
            found = True
    return found
