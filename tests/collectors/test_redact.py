"""Secrets are made up, and put together here so that no scanner mistakes this file for a leak."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.redact import redact, storable


def fake(prefix: str, length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """A made-up credential: the prefix and characters that walk through the alphabet, a digit among the first."""
    body = "".join(alphabet[(7 * i + len(alphabet) - 1) % len(alphabet)] for i in range(length))
    return prefix + body


HEX = string.digits + "abcdef"
UPPER = string.ascii_uppercase + "234567"
DASH = "-" * 5
PEM_LINE = fake("MIIE", 60)


def pem(kind: str) -> str:
    """A private key block of three lines."""
    return f"{DASH}BEGIN {kind}{DASH}\n{PEM_LINE}\n{PEM_LINE}\n{DASH}END {kind}{DASH}"


JWT = ".".join((fake("ey" + "J", 30), fake("ey" + "J", 60), fake("", 43)))
WORD = "hunter" + "2"
LONG = fake("", 32)

# The shape of a credential gives it away wherever it stands.
SHAPES = {
    "aws access key": fake("AK" + "IA", 16, UPPER),
    "aws session key": fake("AS" + "IA", 16, UPPER),
    "github classic": fake("gh" + "p_", 36),
    "github oauth": fake("gh" + "o_", 36),
    "github app": fake("gh" + "s_", 36),
    "github fine-grained": fake("github" + "_pat_", 22) + "_" + fake("", 59),
    "gitlab personal": fake("gl" + "pat-", 20),
    "gitlab runner": fake("gl" + "rt-", 20),
    "slack bot": fake("xo" + "xb-", 12, string.digits) + "-" + fake("", 24),
    "slack user": fake("xo" + "xp-", 40),
    "slack app": "xa" + "pp-1-A0FAKE-" + fake("", 40),
    "stripe live": fake("sk" + "_live_", 24),
    "stripe restricted": fake("rk" + "_test_", 24),
    "stripe webhook": fake("wh" + "sec_", 32),
    "openai": fake("sk" + "-", 48),
    "openai project": fake("sk" + "-proj-", 60),
    "anthropic": fake("sk" + "-ant-api03-", 80),
    "openrouter": fake("sk" + "-or-v1-", 64, HEX),
    "google api": fake("AI" + "za", 35),
    "google oauth": fake("ya" + "29.", 60),
    "google client secret": fake("GO" + "CSPX-", 28),
    "npm": fake("np" + "m_", 36),
    "pypi": fake("py" + "pi-AgEIcHlwaS5vcmc", 60),
    "huggingface": fake("h" + "f_", 34),
    "digitalocean": fake("do" + "p_v1_", 64, HEX),
    "shopify": fake("sh" + "pat_", 32, HEX),
    "sendgrid": fake("S" + "G.", 22) + "." + fake("", 43),
    "mailgun": fake("ke" + "y-", 32, HEX),
    "databricks": fake("da" + "pi", 32, HEX),
    "vault": fake("hv" + "s.", 24),
    "square": fake("sq" + "0atp-", 22),
    "atlassian": fake("AT" + "ATT3xFfGF0", 60),
    "linear": fake("li" + "n_api_", 40),
    "figma": fake("fi" + "gd_", 40),
    "notion": fake("nt" + "n_", 46),
    "replicate": fake("r" + "8_", 37),
    "groq": fake("gs" + "k_", 52),
    "docker": fake("dc" + "kr_pat_", 27),
    "grafana": fake("gl" + "sa_", 32),
    "new relic": fake("NR" + "AK-", 27, UPPER),
    "rubygems": fake("ruby" + "gems_", 48, HEX),
    "pulumi": fake("pu" + "l-", 40, HEX),
    "supabase": fake("sb" + "p_", 40, HEX),
    "doppler": fake("dp" + ".pt.", 43),
    "terraform cloud": fake("", 14) + ".atlas" + "v1." + fake("", 60),
    "age": fake("AGE-SECRET" + "-KEY-1", 58, UPPER),
    "tailscale": fake("ts" + "key-auth-", 30),
    "telegram": "123456789:" + fake("AA", 33),
    "jwt": JWT,
    "rsa key": pem("RSA PRIVATE" + " KEY"),
    "openssh key": pem("OPENSSH PRIVATE" + " KEY"),
    "pgp key": pem("PGP PRIVATE" + " KEY BLOCK"),
}

# A name or a place gives these away; `{}` is where the secret stands.
PLACES = {
    "bearer header": ("Authorization: Bearer {}", LONG),
    "basic header": ("authorization: Basic {}", "Ym9iOnNlc2FtZQ=" + "="),
    "token header": ("Authorization: token {}", LONG),
    "api key header": ("X-Api-Key: {}", LONG),
    "private token header": ("PRIVATE-TOKEN: {}", LONG),
    "cookie": ("Cookie: {}\nHost: x.test", "session=" + LONG),
    "set-cookie": ("Set-Cookie: {}; HttpOnly\nHost: x.test", "sid=" + LONG),
    "url password": ("git clone https://bob:{}@example.test/r.git", WORD),
    "database url": ("postgres://app:{}@db.example.test:5432/x", "p%40ss" + "w0rd"),
    "redis url": ("redis://:{}@localhost:6379/0", WORD),
    "url token": ("https://{}@example.test/r.git", LONG),
    "url query": ("GET /v1/x?page=2&access_token={}&limit=5", LONG),
    "signed url": ("https://x.test/b?se=2026&sig={}", fake("", 43) + "%3D"),
    "aws signature": ("https://x.test/b?X-Amz-Date=1&X-Amz-Signature={}", fake("", 64, HEX)),
    "slack webhook": ("https://hooks.slack.com/services/{}", "T0FAKE00/B0FAKE00/" + fake("", 24)),
    "discord webhook": ("https://discord.com/api/webhooks/123456789012345678/{}", fake("", 68)),
    "password flag": ("tool login --user bob --password {}", WORD),
    "password flag, equals": ("tool login --password={}", WORD),
    "password flag, quoted": ("tool login --password '{}'", "correct horse"),
    "token flag": ("tool deploy --token {} --target prod", LONG),
    "api key flag": ("tool --api-key={} run", LONG),
    "argv list": ('["tool", "--token", "{}", "x"]', LONG),
    "assignment": ("password={}", WORD),
    "spaced assignment": ('db_password = "{}"', WORD),
    "environment": ("AWS_SECRET_ACCESS_KEY={} tool sync", fake("", 40)),
    "slash first": ("AWS_SECRET_ACCESS_KEY={}", "/" + fake("", 39)),
    "export": ("export GITHUB_TOKEN='{}'", LONG),
    "environment suffix": ("SECRET_KEY_BASE={}", fake("", 64, HEX)),
    "postgres": ("PGPASSWORD={} psql -h db", WORD),
    "mysql environment": ("MYSQL_PWD={} mysql", WORD),
    "dotenv": ("DB_PASS={}\nPORT=1", WORD),
    "yaml": ("client_secret: {}", LONG),
    "yaml password": ("password: {}\nport: 1", WORD),
    "json": ('{{"user":"bob","password":"{}"}}', WORD),
    "json token": ('{{"access_token": "{}"}}', LONG),
    "json in json": ('"{{\\"apiKey\\": \\"{}\\"}}"', LONG),
    "python dict": ("{{'secret': '{}'}}", LONG),
    "ruby": (":client_secret => '{}'", LONG),
    "xml": ("<password>{}</password>", WORD),
    "azure": ("DefaultEndpointsProtocol=https;AccountName=x;AccountKey={};", fake("", 86) + "=="),
    "sql server": ("Server=x;User Id=sa;Password={};", WORD),
    "npmrc": ("//registry.example.test/:_authToken={}", LONG),
    "npmrc basic": ("_auth={}", "Ym9iOnNlc2FtZQ=="),
    "netrc": ("machine x.test login bob password {}", WORD),
    "curl user": ("curl -s -u bob:{} https://x.test", WORD),
    "mysql option": ("mysql -u root -p{} app", WORD),
    "sshpass": ("sshpass -p {} ssh bob@x.test", WORD),
    "redis option": ("redis-cli -h x.test -a {} ping", WORD),
    "docker login": ("docker login -u bob -p {} x.test", WORD),
    "sql": ("CREATE USER bob IDENTIFIED BY '{}'", WORD),
    "sql role": ("ALTER ROLE bob WITH PASSWORD '{}'", WORD),
    "encoded": ("?q=password%3D{}", WORD),
}

HARMLESS = (
    "tool auth login --token <your-token>",
    "tool auth login --token $TOKEN",
    "tool auth login --token ${TOKEN:-none}",
    "tool config set project $PROJECT_ID",
    "tool auth login --password-stdin",
    "tool auth refresh",
    "tool trust add '/work/b; curl x.invalid | sh'",
    "export API_KEY=YOUR_API_KEY",
    "API_KEY=your-api-key",
    "password: ********",
    "password={{ vault_password }}",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    '{"code":"TOKEN_EXPIRED","message":"Token past expiry","retryable":false}',
    '{"code":"AUTH_REQUIRED","reauth_env_var":"TOOL_TOKEN"}',
    '{"fix_required":"Set token: see docs","fix_command":null}',
    "SyntaxError: Unexpected token: identifier",
    "Unexpected token '<', \"<!DOCTYPE\" is not valid JSON",
    "max_tokens: 4096, total_tokens=128000",
    '"usage":{"input_tokens":1204,"cache_read_input_tokens":53312}',
    "tokenizer = AutoTokenizer.from_pretrained('bert-base-uncased')",
    "password: str = Field(default=None)",
    "def login(user, password=None, token=token):",
    "auth_token=self.auth_token, api_key=os.environ['API_KEY']",
    "if secret == expected_secret: return",
    "secretKeyRef: {name: db, key: password}",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "Merge 89e495e7941cf9e40e6980d14a16bf023ccd4c91 into main",
    "550e8400-e29b-41d4-a716-446655440000",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "/home/bob/project/src/components/user-profile-settings-page.tsx",
    "./node_modules/.pnpm/@babel+core@7.26.0/node_modules/@babel/core",
    "C:\\Users\\bob\\AppData\\Local\\Temp\\build-2026",
    "https://example.test/docs/authentication/tokens#refresh",
    "git@github.com:owner/repository.git",
    "ssh://git@example.test/owner/repository.git",
    "bob@example.test",
    "toolu_01A09q90qw90lq917835lq9 call_abcdefghijklmnopqrstuvwx",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 is the start of a public key",
    "docker run -u 1000:1000 -p 8080:80 image",
    "Basic usage: run the tool; the bearer of this message",
    "mkdir -p build && cp -p a b",
    "idempotency_key: 7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "primary_key=id, foreign_key=user_id, sort_key: created_at",
    "the sk-learn-compatible-estimator-interface of risk-assessment-2",
    "page_token_limit=100, token_count: 57, token_type=bearer",
    "private_key: ~/.ssh/id_ed25519",
    "Password: incorrect. Please enter the password again",
    "https://user:password@example.test and https://$USER:$PASS@example.test",
    "x = tokens[0]; passed = 12; bypass: 3; compass=north",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db",
)


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    """A credential is recognised by its shape alone, in a sentence, in quotes and behind an escaped line end."""
    secret = SHAPES[name]
    body = secret.split("\n")[1] if "\n" in secret else secret
    for text in (f"it printed {secret} here", f'"{secret}"', f"key={secret}", f"a\\n{secret}\\nb", secret):
        assert body not in redact(text)
        assert "[redacted:" in redact(text)


@pytest.mark.parametrize("name", PLACES)
def test_places(name):
    """A secret of no known shape is recognised by its name or its place, and the text around it stays."""
    frame, secret = PLACES[name]
    text = frame.format(secret)
    before, after = frame.replace("{{", "{").replace("}}", "}").split("{}")
    cleaned = redact(f"x {text} y")
    assert secret not in cleaned
    assert cleaned.startswith("x " + before.split("=")[0].split("Basic")[0][:8])
    assert cleaned.endswith(after.strip()[-4:] + " y")


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_stays(text):
    """Placeholders, codes, code, paths, hashes and ids are stored as they are."""
    assert redact(text) == text


def test_a_key_that_was_cut_off_leaves_nothing():
    """A private key whose end or whose beginning is missing is redacted up to the cut."""
    whole = SHAPES["rsa key"]
    for part in (whole[:-60], whole[40:], whole[:70]):
        assert PEM_LINE[:40] not in redact("before\n" + part)
        assert redact("before\n" + part).startswith("before\n")


def test_a_secret_on_the_cut_of_an_excerpt_leaves_nothing():
    """A secret that head and tail would halve is found before the cut."""
    secret = SHAPES["github classic"]
    for shift in range(0, 120, 7):
        text = "word " * 400 + " " * shift + secret + " word" * 4000
        assert "gh" + "p_" not in storable(text, 4000)
        assert len(storable(text, 4000)) <= 4000


ANY_SECRET = st.sampled_from([*SHAPES.values(), *(frame.format(secret) for frame, secret in PLACES.values())])


@given(st.lists(st.one_of(st.text(max_size=20), ANY_SECRET, st.sampled_from(HARMLESS)), max_size=6))
def test_a_second_pass_changes_nothing(parts):
    """Redaction is idempotent, whatever secrets and text stand side by side."""
    once = redact(" ".join(parts))
    assert redact(once) == once


@given(st.text(max_size=200), st.sampled_from(sorted(SHAPES)), st.text(max_size=200))
def test_no_neighbour_hides_a_shape(before, name, after):
    """Any text around a credential leaves it redacted as long as a blank stands between."""
    secret = SHAPES[name]
    body = secret.split("\n")[1] if "\n" in secret else secret
    assert body not in redact(f"{before} {secret} {after}")


BEGINNINGS = (
    *("token=", 'password="', "://a:", "curl -u a:", "eyJaaaaaaaa.", "mysql -", "a_", "cookie:a=bbbb", "bearer "),
    *('\\"token\\":\\"', "login x ", "İtoken: ", "xo" + "xb-aaaaaaaaaaaaaaaaaaaa."),
    f"{DASH}BEGIN RSA PRIVATE" + f" KEY{DASH}",
)


@pytest.mark.parametrize("unit", BEGINNINGS)
def test_repeated_beginnings_cost_no_more_than_their_length(unit):
    """A hundred kilobytes of what starts a pattern come to an end; a pattern that backtracks would not."""
    text = unit * (100_000 // len(unit))
    assert len(redact(text)) <= 20 * len(text)
