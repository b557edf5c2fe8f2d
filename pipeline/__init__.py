"""recoup: measures whether what a tool's errors say leads an AI agent back.

In a notebook: `store = pipeline.import_logs("logs")` or `pipeline.open_store()`, then `store.mart("error_codes")` and
`pipeline.plots`. Nothing is imported before it is asked for.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipeline import plots
    from pipeline.face import Store, import_logs, open_store
    from pipeline.parameters import Parameters

__all__ = ["Parameters", "Store", "import_logs", "open_store", "plots"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module, a class or a function
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name == "plots":
        return import_module("pipeline.plots")
    return getattr(import_module("pipeline.parameters" if name == "Parameters" else "pipeline.face"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
