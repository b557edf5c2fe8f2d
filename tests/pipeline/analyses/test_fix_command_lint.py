import pytest

from pipeline.analyses.fix_command_lint import RULES

EXAMPLES = {
    "placeholder": ["tool auth login --token <your-token>"],
    "shell_syntax": ["tool index dump | tool index load"],
    "destructive": ["tool state reset --hard"],
    "self_referential": ["tool deploy"],
    "prose": ["Ask your administrator to renew the licence"],
    "destructive_suspect": ["tool lock force-unlock"],
    "foreign_program": ["npm install -g tool-runtime"],
    "interpolated": [f"tool cache warm --region r{number:02}" for number in range(50)],
}


@pytest.fixture(scope="module")
def found(make_world, search):
    """What is found in a world of one code a rule and one good one, by code and rule."""
    world = make_world()
    fixes = {rule.upper(): texts for rule, texts in EXAMPLES.items()} | {"FINE": ["./bin/tool auth refresh"]}
    for code, texts in fixes.items():
        for fix in texts:
            world.session().fail("tool deploy", code, retryable=False, fix_required="Do it", fix_command=fix).end()
    return {tuple(finding.id.split(":")[2:]): finding for finding in search(world, "fix_command_lint")}


@pytest.mark.parametrize("rule", sorted(RULES))
def test_each_rule_has_its_finding(found, rule):
    """A fix that breaks a rule is found under it, with the rule's severity and the text as it was."""
    severity, fault = RULES[rule]
    finding = found[rule.upper(), rule]

    assert finding.severity == severity
    assert fault in finding.sentence
    assert finding.sentence.startswith(f"The fix of {rule.upper()}, `{EXAMPLES[rule][0]}`")


def test_a_static_command_of_the_same_tool_is_none(found):
    """A complete, static command of the same tool breaks no rule, nor does the path it is called by."""
    assert "FINE" not in {code for code, _ in found}


def test_many_texts_of_one_code_are_one_finding(found):
    """Fifty interpolated fixes are one finding with ten attempts as evidence, not fifty."""
    finding = found["INTERPOLATED", "interpolated"]

    assert "and 49 others" in finding.sentence
    assert (finding.k, len(finding.evidence)) == (50, 10)
