"""Findings of one analysis over a world."""

import pytest

from pipeline.analyses import ANALYSES
from pipeline.parameters import Parameters


@pytest.fixture(scope="session")
def search():
    """A function from a world and an analysis's name to what it finds there."""

    def find(world, name, parameters=None):
        parameters = parameters or Parameters()
        analysis = next(analysis for analysis in ANALYSES if analysis.name == name)
        return analysis.find(world.build(parameters), parameters)

    return find
