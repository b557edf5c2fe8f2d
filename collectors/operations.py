"""What the words of a command mean, as data: subcommand paths, flags with values, targets."""

import re
from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ONE_DEEP = _words(
    """git docker podman kubectl oc helm npm pnpm yarn bun pip pip3 cargo terraform tofu go make brew apt
    apt-get dnf yum apk systemctl service mix rake rails bundle gem dotnet mvn gradle poetry uv pipx pdm hatch
    rye conda mamba tox nox just task deno composer flyctl fly vercel netlify heroku firebase supabase wrangler
    pulumi ansible vagrant tmux jj hg svn bazel turbo nx ng vite next alembic flask celery dvc huggingface-cli
    hf ollama snap launchctl"""
)
_TWO_DEEP = _words(
    """gh glab aws doctl linode-cli op vault nomad consul eksctl argocd flux istioctl docker:compose
    docker:buildx docker:image docker:container docker:volume docker:network docker:system docker:context
    docker:manifest git:remote git:stash git:submodule git:worktree git:bisect git:notes git:lfs
    git:sparse-checkout kubectl:rollout kubectl:config kubectl:auth kubectl:top helm:repo helm:dependency
    helm:get helm:show npm:run npm:config npm:cache pnpm:run yarn:run bun:run pip:config pip:cache uv:pip
    uv:tool uv:python uv:cache poetry:env poetry:self conda:env terraform:state terraform:workspace
    terraform:providers go:mod go:tool go:work dotnet:tool dotnet:nuget brew:services heroku:pg"""
)
_BACK_TO_ONE = _words(
    "gh:api gh:status gh:browse vault:read vault:write vault:list vault:delete vault:login vault:status"
)
_THREE_DEEP = _words("yarn:workspace dotnet:ef")
_UP_TO_VERB = _words("az gcloud ibmcloud oci aliyun")

DEPTHS: Mapping[str, int] = {
    **dict.fromkeys(_ONE_DEEP, 1),
    **dict.fromkeys(_TWO_DEEP, 2),
    **dict.fromkeys(_BACK_TO_ONE, 1),
    **dict.fromkeys(_THREE_DEEP, 3),
    **dict.fromkeys(_UP_TO_VERB, 5),
}
"""How many leading bare words are the subcommand path, by program or `program:first word`.

Five means: up to the first verb, at most five words. A program not listed follows `path_length`.
"""

NO_SUBCOMMANDS: frozenset[str] = _words(
    """[ [[ test true false : cat tac nl head tail less more bat grep egrep fgrep zgrep rg ag ack sed awk gawk
    find fd ls tree stat file wc sort uniq cut tr tee jq yq xxd hexdump od strings diff cmp comm cp mv rm mkdir
    rmdir touch ln chmod chown chgrp install rsync scp sftp tar zip unzip gzip gunzip xz curl wget http https
    httpie cd pushd popd pwd echo printf export unset set source . alias read sleep wait kill pkill killall pgrep
    ps top htop lsof df du free uname whoami id hostname date env printenv which type whereis where man python
    python2 python3 pypy pypy3 node deno-run ruby perl php lua julia R Rscript java javac bash sh zsh fish dash
    ksh psql mysql sqlite3 mongosh redis-cli duckdb pytest py.test unittest jest vitest mocha ruff-check black
    isort flake8 pylint mypy pyright tsc tsx ts-node eslint prettier gcc g++ cc clang clang++ ld nm objdump ldd
    gdb lldb valgrind strace ltrace cmake ninja ctest pdflatex xelatex lualatex latexmk bibtex pandoc convert
    magick ffmpeg ffprobe open xdg-open code vim vi nano emacs ed ex patch md5sum sha256sum sha1sum shasum base64
    openssl ssh nc telnet ping dig nslookup host ip ifconfig netstat ss basename dirname realpath readlink seq
    expr bc column paste join fold fmt xmllint shellcheck shfmt actionlint yamllint markdownlint uvicorn gunicorn
    hypercorn streamlit time timeout xargs watch apply_patch submit edit create view"""
)
"""Programs whose first bare word is an operand."""

VERBS: frozenset[str] = _words(
    """abort accept activate add analyze annotate apply approve archive assign attach auth-login backup bench
    benchmark block bootstrap build bump cancel cat check checkout claim clean clear clone close commit compile
    complete configure connect convert copy cp create deactivate debug delete deploy describe destroy detach diff
    disable disconnect dispatch download drain drop dump edit eject enable eval exec execute explain export expose
    fetch fix force-unlock format freeze generate gen get grant help import info init inject insert inspect
    install invoke join kill lint list ln load lock login logout logs ls make merge migrate mkdir modify monitor
    mount move mv new open pack patch pause ping plan play pop post prepare preview promote provision prune
    publish pull purge push put query quit read rebase rebuild recover redeploy redo refresh register reindex
    release reload remove rename render renew replace replay request rerun reset resize resolve restart restore
    resume retry reopen revert revoke rm rmdir rollback rotate run save scaffold scale scan search seed send serve
    set setup show shutdown sign solve split start status stop submit subscribe suspend switch sync tail terminate
    test trace track trigger truncate unassign undo undeploy uninstall unlink unlock unmount unpublish unset
    unwatch update upgrade upload upsert use validate verify view wait watch whoami write"""
)
"""Words that end a subcommand path: what follows a verb is its object."""

TARGET_NAMES: frozenset[str] = _words(
    """target env environment name id file path url uri host hostname table region project cluster namespace
    bucket database db repo repository owner branch resource service instance account stack app application
    user_id zone profile dir directory cwd file_path filepath filename notebook_path folder workspace package
    image container pod node key_id resource_id issue_number pull_number pr_number number channel topic queue
    collection index schema dataset users ids hosts files paths tables recipients"""
)
"""Flag and argument names, lower case, dashes as underscores, whose value says what a call is about.

Source: DEFINITIONS, identity of an invocation: `--target --env --name --id --file --path --url --host --table --region`
and, for structured tools, their usual spellings. `*_id`, `*_path`, `*_url` and `*_name` count too.
"""

EXCLUDED_NAMES: frozenset[str] = _words(
    """description explanation timeout timeout_ms run_in_background tool_call_id call_id tool_use_id request_id
    trace_id span_id parent_id correlation_id timestamp ts _meta metadata_id toolsummary tool_summary
    reason_for_call waitms yield_time_ms max_output_tokens"""
)
"""Argument names of structured tools that are no part of an invocation's identity."""

EXCLUDED_FLAGS: frozenset[str] = _words("--request-id --trace-id --correlation-id --idempotency-key --client-token")
"""Flags that are no part of an invocation's identity."""

IDEMPOTENCY_NAMES: frozenset[str] = _words("idempotency_key client_token client_request_token")

BOOLEAN_FLAGS: frozenset[str] = _words(
    """--all --force --json --yaml --verbose --quiet --silent --debug --yes --no --help --version --dry-run
    --watch --wait --no-wait --recursive --global --local --dev --prod --production --save-dev --no-verify
    --no-edit --amend --staged --cached --stat --oneline --graph --short --porcelain --hard --soft --mixed --abort
    --continue --interactive --strict --fix --check --no-color --no-cache --no-deps --upgrade --user --editable
    --release --workspace --all-features --no-fail-fast --nocapture --ci --coverage --headless --detach --rm
    --build --no-build --tail-all --follow --name-only --name-status --no-pager --delete --prune --tags --mirror
    --bare --raw --plain --pretty --refresh --overwrite --clean --exit-code --detailed-exitcode --auto-approve
    --no-input --non-interactive --noEmit --exact --tests --bins --examples --locked --frozen --offline
    --no-install --legacy-peer-deps --if-present --silent-errors --allow-empty --paginate"""
)
"""Long flags that take no value in practically every program."""

VALUE_FLAGS: Mapping[str, frozenset[str]] = {
    "git": _words("-C -c -m -am -F --git-dir --work-tree --message --format --author --date -n --depth -U"),
    "gh": _words("-R -F -f -q -X -H -b -t -l -a --jq --repo --title --body --json --limit -L -B --base --head"),
    "docker": _words("-f -t -p -v -e -w -u -c --file --tag --name -H -l --format"),
    "kubectl": _words("-n -f -l -o -c --context --kubeconfig -k --replicas --type -p --patch"),
    "helm": _words("-n -f --set --values --version --kube-context --timeout"),
    "aws": _words("--output --query --profile --region"),
    "az": _words("-g -n -l -o --query"),
    "npm": _words("-w --workspace --prefix --registry --tag"),
    "pnpm": _words("-F --filter -C --dir"),
    "pip": _words("-r -c -i --index-url --extra-index-url -t --target -f"),
    "cargo": _words("-p --package --features --bin --example --test --manifest-path --target -j --message-format"),
    "go": _words("-run -o -tags -timeout -count -bench -mod -ldflags -coverprofile"),
    "make": _words("-C -f -j --directory"),
    "cmake": _words("-S -B -G -D --build -j --target --config"),
    "curl": _words(
        "-X -H -d -F -o -u -A -b -c -e -m -w -x -T -K -E --request --header --data --data-raw --output --retry"
    ),
    "wget": _words("-O -o -P -U -T -t"),
    "pytest": _words("-k -m -n -p -c -o -W --maxfail --timeout --cov --durations --rootdir --tb"),
    "python": _words("-c -W -X"),
    "node": _words("-e -p -r --eval --print --require"),
    "ruby": _words("-e -I -r"),
    "perl": _words("-e -I -M"),
    "grep": _words("-e -f -m -A -B -C --include --exclude --exclude-dir"),
    "rg": _words("-e -f -g -t -T -m -A -B -C -j --glob --type --max-count -r"),
    "sed": _words("-e -f"),
    "awk": _words("-F -v -f"),
    "head": _words("-n -c"),
    "tail": _words("-n -c"),
    "jq": _words("-f --arg"),
    "tar": _words("-f -C --exclude"),
    "psql": _words("-h -p -U -d -c -f -v"),
    "mysql": _words("-h -P -u -e -D"),
    "sqlite3": _words("-cmd"),
    "ssh": frozenset(_words("-i -p -l -o -F -J")),
    "gcc": _words("-o -I -L -l -std"),
    "terraform": _words("-target -var -var-file -out -chdir"),
    "poetry": _words("-C --directory -P"),
    "uv": _words("--project --directory -p --python"),
    "mix": frozenset(),
}
"""Short and rare flags that take a value, by program (`pip3`, `python3` and the like look under their base name)."""

TARGET_FLAGS: Mapping[str, frozenset[str]] = {
    "pip": _words("-r -c -e"),
    "kubectl": _words("-f -n -k -l"),
    "oc": _words("-f -n -l"),
    "helm": _words("-n"),
    "docker": _words("-f"),
    "git": _words("-C"),
    "gh": _words("-R"),
    "make": _words("-C"),
    "cargo": _words("-p --package --bin --example --test"),
    "npm": _words("-w --workspace --prefix"),
    "pnpm": _words("-F --filter"),
    "go": _words("-run"),
    "pytest": _words("-k -m"),
    "tar": _words("-f"),
    "psql": _words("-h -d -f"),
    "mysql": _words("-h -D"),
    "terraform": _words("-target -chdir -var-file"),
    "az": _words("-g -n"),
    "sqlite3": _words("-db"),
}
"""Flags, by program, whose value is a target though their name does not say so."""

_NONE: frozenset[str] = frozenset()

SINGLE_DASH_LONG: frozenset[str] = _words(
    "find go terraform tofu java javac ffmpeg ffprobe openssl packer consul vault nomad"
)
"""Programs that spell long flags with one dash."""

BARE_WORD = re.compile(r"[a-z][a-z0-9]*(?:[-_:][a-z0-9]+)*$")
LISTED_WORD = re.compile(r"[A-Za-z][\w.:@-]*$")
SCRIPT_PROGRAMS = re.compile(
    r"(?:python|pypy)[\d.]*$|(?:node|ruby|perl|php|lua|julia|Rscript|bash|sh|zsh|tsx|ts-node)$"
)
"""Interpreters: their first operand is the script, which is the first word of the path."""


def base_program(program: str) -> str:
    """Return the name under which a program's tables are kept: `python3.11` is `python`."""
    return program.rstrip("0123456789.") or program


def value_flags(program: str) -> frozenset[str]:
    """Return the short and rare flags of a program that take a value."""
    found = VALUE_FLAGS.get(program)
    return VALUE_FLAGS.get(base_program(program), _NONE) if found is None else found


def target_flags(program: str) -> frozenset[str]:
    """Return the flags of a program whose value is a target though their name does not say so."""
    found = TARGET_FLAGS.get(program)
    return TARGET_FLAGS.get(base_program(program), _NONE) if found is None else found


def path_length(program: str, operands: tuple[str, ...]) -> int:
    """Return how many of the leading operands are the subcommand path (0 where the program has none).

    A listed program follows `DEPTHS`. Otherwise: leading bare words up to and including the first verb,
    at most three; without a verb among them, the first word alone.
    """
    if not operands or program in NO_SUBCOMMANDS:
        return 0
    depth = DEPTHS.get(program)
    if depth is None:
        return _up_to_verb(operands, 3, BARE_WORD) or int(BARE_WORD.match(operands[0]) is not None)
    depth = DEPTHS.get(f"{program}:{operands[0]}", depth)
    if depth > 3:
        return _up_to_verb(operands, depth, LISTED_WORD) or int(LISTED_WORD.match(operands[0]) is not None)
    count = 0
    while count < min(depth, len(operands)) and LISTED_WORD.match(operands[count]):
        count += 1
    return count


def _up_to_verb(operands: tuple[str, ...], limit: int, shape: re.Pattern[str]) -> int:
    for count, word in enumerate(operands[:limit], 1):
        if shape.match(word) is None:
            return 0
        if word in VERBS or word.partition("-")[0] in VERBS:
            return count
    return 0
