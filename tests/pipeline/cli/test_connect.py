import json
import os
import pty
import subprocess
import tomllib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from collectors.connect import CLIENTS, settings_of
from pipeline import connect
from pipeline.connect_json import set_member
from pipeline.connect_scan import parse
from pipeline.connect_toml import set_key

from .conftest import command_line, environment

ADDRESS = "http://127.0.0.1:4318"
WITH_FILES = [client for client in CLIENTS if client.kind != "yaml"]
KEYS = st.text(max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda held: st.lists(held, max_size=3) | st.dictionaries(KEYS, held, max_size=3),
    max_leaves=12,
)
COMMENTED = """{
    // what I like
    "editor.fontSize": 13, /* not 12, not 14 */
    "github.copilot.chat.otel.enabled": false, // for now
    "files.exclude": {"**/.git": true,},
}
"""
CODEX = """# mine
model = "gpt"   # the model

[otel]  # telemetry
environment = "dev"
exporter = "none" # off
# more

[mcp_servers.x]
command = \"\"\"
[otel]
exporter = "none"
\"\"\"
"""


def held(client, text):
    """Return what a settings file says."""
    return tomllib.loads(text) if client.kind == "toml" else parse(text, with_comments=client.kind == "jsonc").value


def at(value, path):
    """Return the value at a path."""
    for key in path:
        value = value[key]
    return value


@pytest.mark.parametrize("client", WITH_FILES, ids=lambda client: client.name)
def test_what_is_printed_is_what_is_written(client, run, tmp_path):
    """The settings shown are the settings merged; a second time there is nothing to change."""
    path = tmp_path / "there" / "settings"
    shown = run("collector", "connect", client.name, "--file", path, "--json").envelope["data"]
    assert not path.exists()

    ran = run("collector", "connect", client.name, "--file", path, "--write", "--yes")
    said = held(client, path.read_text())

    assert (0, path.stat().st_mode & 0o777) == (ran.exit_code, 0o600)
    assert shown["settings"]
    for setting in shown["settings"]:
        assert setting["value"] == at(said, setting["path"])
    again = run("collector", "connect", client.name, "--file", path, "--write")
    assert (0, "says all of it already") == (again.exit_code, again.out.strip().partition("settings ")[2])
    assert [path] == list(path.parent.iterdir())


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_every_client_says_what_it_lets_out(client, run):
    """Before anybody writes a setting, its privacy is told: what is sent always, and by which setting."""
    text = run("collector", "connect", client.name).out

    assert "# always sent: " in text
    for setting in client.settings:
        assert setting.lets_out in text
    for name, what in client.keep_off:
        assert f"# leave {name} off: it sends {what}" in text


@pytest.mark.parametrize("client", WITH_FILES, ids=lambda client: client.name)
def test_nothing_that_lets_prompts_out_is_set_unasked(client):
    """What people write is sent only where `--content` or `--traces` asked for it."""
    settings = settings_of(client.settings, ADDRESS, traces=False, content=False)
    assert [] == [setting for setting in settings if "prompt" in setting.lets_out or "conversation" in setting.lets_out]
    assert all(not value for name, value in ((one.path[-1].lower(), one.value) for one in settings) if "prompt" in name)


def test_an_address_and_a_token_go_where_each_client_reads_them(run):
    """Codex takes the address with its path, others without; a token stays in the environment."""
    given = ("--endpoint", "https://otel.example.com/team/", "--token-env", "TEAM_TOKEN")
    codex = run("collector", "connect", "codex", *given).out
    assert 'endpoint = "https://otel.example.com/team/v1/logs"' in codex
    assert 'export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer $TEAM_TOKEN"' in codex
    assert '"otlpEndpoint": "https://otel.example.com/team"' in run("collector", "connect", "gemini", *given).out
    collector = yaml.safe_load(run("collector", "connect", "otel-collector", *given).out)
    exporter = collector["exporters"]["otlphttp/recoup"]
    assert "https://otel.example.com/team" == exporter["endpoint"]
    assert {"authorization": "Bearer ${env:TEAM_TOKEN}"} == exporter["headers"]
    assert {"logs/recoup", "traces/recoup"} == set(collector["service"]["pipelines"])


def test_json_keeps_order_comments_and_commas(tmp_path, run):
    """Of a file with comments only our members change, and what it was is kept beside it."""
    path = tmp_path / "settings.json"
    path.write_text(COMMENTED)
    path.chmod(0o640)

    ran = run("collector", "connect", "copilot", "--file", path, "--write", "--yes")

    lines = COMMENTED.splitlines()
    lines[3] = lines[3].replace("false", "true")
    ours = ['    "github.copilot.chat.otel.exporterType": "otlp-http",']
    ours += [f'    "github.copilot.chat.otel.otlpEndpoint": "{ADDRESS}",']
    assert [*lines[:5], *ours, "}"] == path.read_text().splitlines()
    assert COMMENTED == (tmp_path / "settings.json.bak").read_text()
    assert 0o640 == path.stat().st_mode & 0o777
    assert '-    "github.copilot.chat.otel.enabled": false' in ran.out


def test_toml_keeps_comments_and_text_that_looks_like_a_table(tmp_path, run):
    """Only the keys of our table change."""
    path = tmp_path / "config.toml"
    path.write_text(CODEX)

    run("collector", "connect", "codex", "--file", path, "--write", "--yes")

    exporter = f'exporter = {{ otlp-http = {{ endpoint = "{ADDRESS}/v1/logs", protocol = "binary" }} }} # off\n'
    old = 'exporter = "none" # off\n'
    assert CODEX.replace(old, f"{exporter}log_user_prompt = false\n", 1) == path.read_text()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[other]\nx = 1",
        "[other]\r\nx = 1\r\n",
        '[otel.exporter."otlp-grpc"]\nendpoint = "x"\n\n[otel.exporter."otlp-grpc".headers]\na = "b"\n[z]\ny = 1\n',
        'otel = { exporter = "none" }\n',
        'otel.exporter = "none"\n',
        "[otel]\n[z]\n",
        '[otel]\nexporter.otlp-http.endpoint = "x"\nexporter.otlp-http.protocol = "json"\n',
    ],
)
def test_each_way_to_write_a_table_is_merged_into(text):
    """Whatever notation a table has, the key gets its value, and everything else the one it had."""
    wanted = tomllib.loads(text)
    wanted.setdefault("otel", {})["exporter"] = {"otlp-http": {"endpoint": "y"}}

    changed = set_key(text, ("otel", "exporter"), {"otlp-http": {"endpoint": "y"}})

    assert wanted == tomllib.loads(changed)
    assert changed == set_key(changed, ("otel", "exporter"), {"otlp-http": {"endpoint": "y"}})


@given(
    held=st.dictionaries(KEYS, VALUES, max_size=4),
    key=KEYS,
    indent=st.sampled_from([None, 2, "\t"]),
    newline=st.sampled_from(["\n", "\r\n"]),
    is_nested=st.booleans(),
)
def test_setting_a_member_changes_nothing_else(held, key, indent, newline, is_nested):
    """For any object in any layout: the member has the value, all others are as they were, in their order."""
    text = json.dumps(held, indent=indent).replace("\n", newline)
    path = ("env", key) if is_nested else (key,)
    if is_nested and not isinstance(held.get("env", {}), dict):
        held.pop("env")
        text = json.dumps(held, indent=indent).replace("\n", newline)

    changed = set_member(text, path, "value", with_comments=False)

    wanted = json.loads(json.dumps(held))
    (wanted.setdefault("env", {}) if is_nested else wanted)[key] = "value"
    assert json.dumps(wanted) == json.dumps(json.loads(changed))
    assert changed == set_member(changed, path, "value", with_comments=False)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("claude-code", '{"env": {"a": 1,}}'),
        ("claude-code", '{"env": 5}'),
        ("claude-code", "[]"),
        ("claude-code", '{"a": 1} x'),
        ("claude-code", '{"a": ' + "[" * 5000),
        ("gemini", "{telemetry: {}}"),
        ("codex", "[otel\n"),
        ("codex", 'otel = { exporter = "none", environment = "dev" }\n'),
        ("codex", "otel = 5\n"),
    ],
)
def test_a_file_that_cannot_be_merged_into_is_left_alone(name, text, run, tmp_path):
    """It is refused with the place of what is wrong, and stays byte for byte."""
    path = tmp_path / "settings"
    path.write_text(text)

    ran = run("collector", "connect", name, "--file", path, "--write", "--yes")

    assert (4, "SETTINGS_UNUSABLE") == (ran.exit_code, ran.error["code"])
    assert str(path) in ran.error["message"]
    assert ([path], text) == (list(tmp_path.iterdir()), path.read_text())


def test_bytes_that_are_no_text_are_refused(run, tmp_path):
    """A file in another encoding is not guessed at."""
    path = tmp_path / "settings"
    path.write_bytes(b'{"a": "\xff"}')
    assert "SETTINGS_UNUSABLE" == run("collector", "connect", "qwen", "--file", path, "--write", "--yes").error["code"]


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_without_a_terminal_nothing_is_written_unasked(run, tmp_path, more):
    """The change is shown, and the error says what to add."""
    path = tmp_path / "settings"
    ran = run("collector", "connect", "qwen", "--file", path, "--write", *more)
    error = json.loads(ran.out.splitlines()[-1])["error"]
    assert (2, "CONFIRMATION_REQUIRED", False) == (ran.exit_code, error["code"], path.exists())


@pytest.mark.parametrize(("reply", "is_written"), [(b"y\n", True), (b"\n", False), (b"n\n", False)])
def test_on_a_terminal_it_asks(tmp_path, reply, is_written):
    """The answer decides; an empty one is no."""
    path = tmp_path / "settings"
    leader, follower = pty.openpty()
    os.write(leader, reply)
    arguments = command_line("collector", "connect", "qwen", "--file", path, "--write")
    done = subprocess.run(arguments, stdin=follower, stdout=follower, stderr=follower, env=environment(), check=False)
    shown = os.read(leader, 65536).decode()
    os.close(leader)
    os.close(follower)
    assert (0, is_written) == (done.returncode, path.exists())
    assert '+    "enabled": true' in shown


def test_a_link_stays_a_link(run, tmp_path):
    """Settings kept elsewhere are changed there."""
    real, link = tmp_path / "dotfiles" / "x", tmp_path / "settings"
    real.parent.mkdir()
    real.write_text("{}")
    link.symlink_to(real)

    run("collector", "connect", "qwen", "--file", link, "--write", "--yes")

    assert link.is_symlink()
    assert json.loads(real.read_text())["telemetry"]["enabled"]
    assert "{}" == (real.parent / "x.bak").read_text()


def test_a_former_backup_is_kept(run, tmp_path):
    """The first state of a file is never overwritten by a later one."""
    path = tmp_path / "settings"
    for text in ('{"a": 1}', '{"a": 2}'):
        path.write_text(text)
        run("collector", "connect", "qwen", "--file", path, "--write", "--yes")
    assert ['{"a": 1}', '{"a": 2}'] == [(tmp_path / name).read_text() for name in ("settings.bak", "settings.bak1")]


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path):
    """What was shown is what is written, or nothing is."""
    [qwen] = [client for client in CLIENTS if client.name == "qwen"]
    path = tmp_path / "settings"
    path.write_text("{}")
    change = connect.planned(qwen, path, settings_of(qwen.settings, ADDRESS, traces=False, content=False))
    path.write_text('{"theirs": 1}')
    with pytest.raises(connect.RecoupError) as caught:
        connect.write(change)
    assert ("SETTINGS_CHANGED", True) == (caught.value.entry.code, caught.value.entry.retryable)
    assert '{"theirs": 1}' == path.read_text()


def test_secrets_of_the_file_are_not_shown(run, tmp_path):
    """A diff shows lines around the change; what is secret in them stays hidden, and stays in the file."""
    secret = "sk-ant-api03-" + "abcdefghijklmnopqrstuvwxyz0123456789"
    path = tmp_path / "settings"
    path.write_text(json.dumps({"env": {"ANTHROPIC_API_KEY": secret}}, indent=1))
    ran = run("collector", "connect", "claude-code", "--file", path, "--write", "--yes")
    assert "ANTHROPIC_API_KEY" in ran.out
    assert secret not in ran.out + ran.err
    assert secret in path.read_text()


def test_a_setting_that_stops_all_sending_is_told(run, tmp_path):
    """An output file takes the place of the address."""
    path = tmp_path / "settings"
    path.write_text('{"telemetry": {"outfile": "x.log"}}')
    assert "telemetry.outfile is set" in run("collector", "connect", "gemini", "--file", path, "--write", "--yes").err


@pytest.mark.parametrize(
    "arguments",
    [
        ("nobody",),
        ("qwen", "--endpoint", "127.0.0.1:4318"),
        ("qwen", "--endpoint", "http://"),
        ("qwen", "--endpoint", 'http://x/"y'),
        ("qwen", "--endpoint", "http://me:secret@x/"),
        ("qwen", "--endpoint", "http://x:99999/"),
        ("qwen", "--token-env", "my token"),
        ("otel-collector", "--write", "--yes"),
    ],
)
def test_what_makes_no_settings_is_refused(run, arguments):
    """An address is an address, a variable's name a name; a Collector's file is only shown."""
    assert "ARGUMENT_INVALID" == run("collector", "connect", *arguments).error["code"]
