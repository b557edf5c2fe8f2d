"""Programs that run another program: how to find the one inside, as data and one peeling loop."""

import re
from collections.abc import Mapping
from typing import NamedTuple

_NOTHING: frozenset[str] = frozenset()
_VERSION = re.compile(r"(?<=[\w.\]-])(?:@|==|>=|~=)[^/@]*$|\[[^\[\]]*\]$")


class Wrapper(NamedTuple):
    """How a wrapper's own words end and the inner program's begin."""

    values: frozenset[str] = _NOTHING
    """Flags that take the next word."""
    skip: int = 0
    """Own operands before the inner program (`timeout 60`, `docker exec web`)."""
    flag: str = ""
    """What the call must remember: `elevated`, `loop`, `remote:docker`, `runner:npx` ..."""
    remote: str = ""
    """Kind of place the program runs in; with the operand it becomes part of the context."""
    is_package: bool = False
    """The inner program is named by a package (`@scope/tool@1.2`)."""
    must_have: str = ""
    """A word that must stand before the inner program, else there is none (`--` of `kubectl exec`)."""
    script_flags: frozenset[str] = _NOTHING
    """Flags whose value is the command, as one string (`npx -c`, `env -S`)."""
    unset_flags: frozenset[str] = _NOTHING
    """Flags whose value is a variable that is removed."""
    no_run: frozenset[str] = _NOTHING
    """Flags with which it runs nothing (`command -v`)."""


def _flags(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SUDO = Wrapper(
    _flags("-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot"),
    flag="elevated",
    no_run=_flags("-l --list -v --validate -k -K -i -s"),
)
_NPX = Wrapper(
    _flags("-p --package -c --call -w --workspace"),
    flag="runner:npx",
    is_package=True,
    script_flags=_flags("-c --call"),
)
_UV_RUN = _flags(
    """--with --with-requirements --with-editable --python -p --extra --group --only-group --no-group --env-file
    --project --directory --package --index --index-url -i --default-index --extra-index-url --find-links
    --config-setting --refresh-package --cache-dir"""
)
_EXEC = _flags(
    """-u --user -w --workdir -e --env --env-file --detach-keys -c --container -n --namespace --context --index"""
)
_DOCKER_RUN = _flags(
    """-v --volume -e --env -p --publish -w --workdir -u --user --name --network --net --entrypoint --env-file
    --mount -l --label --platform -m --memory --cpus --gpus -h --hostname --add-host --device --ipc --restart
    --shm-size --tmpfs --ulimit --cap-add --cap-drop --pull --cidfile"""
)
_KUBECTL = _flags(
    """-c --container -n --namespace --context --kubeconfig --cluster --user -f --filename --pod-running-timeout"""
)

WRAPPERS: Mapping[tuple[str, ...], Wrapper] = {
    ("sudo",): _SUDO,
    ("doas",): Wrapper(_flags("-u -C"), flag="elevated"),
    ("env",): Wrapper(
        _flags("-u --unset -C --chdir -S --split-string"),
        script_flags=_flags("-S --split-string"),
        unset_flags=_flags("-u --unset"),
    ),
    ("nice",): Wrapper(_flags("-n --adjustment")),
    ("ionice",): Wrapper(_flags("-c -n --class --classdata")),
    ("nohup",): Wrapper(),
    ("stdbuf",): Wrapper(_flags("-i -o -e --input --output --error")),
    ("unbuffer",): Wrapper(),
    ("time",): Wrapper(_flags("-f -o --format --output")),
    ("timeout",): Wrapper(_flags("-s -k --signal --kill-after"), skip=1, flag="timeout"),
    ("gtimeout",): Wrapper(_flags("-s -k --signal --kill-after"), skip=1, flag="timeout"),
    ("command",): Wrapper(no_run=_flags("-v -V -pv")),
    ("builtin",): Wrapper(),
    ("exec",): Wrapper(_flags("-a")),
    ("noglob",): Wrapper(),
    ("setsid",): Wrapper(),
    ("caffeinate",): Wrapper(_flags("-t -w")),
    ("taskset",): Wrapper(skip=1),
    ("chrt",): Wrapper(skip=1),
    ("flock",): Wrapper(_flags("-w --timeout -E --conflict-exit-code"), skip=1),
    ("xvfb-run",): Wrapper(_flags("-n -s -e -f --server-num --server-args")),
    ("dotenv",): Wrapper(_flags("-f -e -v --file")),
    ("cross-env",): Wrapper(),
    ("watch",): Wrapper(_flags("-n --interval"), flag="loop"),
    ("xargs",): Wrapper(
        _flags("-I -n -P -d -a -E -L -s --max-args --max-procs --delimiter --arg-file --replace --max-lines"),
        flag="xargs",
    ),
    ("npx",): _NPX,
    ("bunx",): _NPX._replace(flag="runner:bunx"),
    ("pnpx",): _NPX._replace(flag="runner:pnpx"),
    ("npm", "exec"): _NPX._replace(flag="runner:npm"),
    ("npm", "x"): _NPX._replace(flag="runner:npm"),
    ("pnpm", "dlx"): _NPX._replace(flag="runner:pnpm"),
    ("pnpm", "exec"): Wrapper(flag="runner:pnpm"),
    ("yarn", "dlx"): _NPX._replace(flag="runner:yarn"),
    ("yarn", "exec"): Wrapper(flag="runner:yarn"),
    ("bun", "x"): _NPX._replace(flag="runner:bun"),
    ("uvx",): Wrapper(_UV_RUN | {"--from"}, flag="runner:uvx", is_package=True),
    ("uv", "tool", "run"): Wrapper(_UV_RUN | {"--from"}, flag="runner:uvx", is_package=True),
    ("uv", "run"): Wrapper(_UV_RUN, flag="runner:uv"),
    ("poetry", "run"): Wrapper(flag="runner:poetry"),
    ("pdm", "run"): Wrapper(flag="runner:pdm"),
    ("hatch", "run"): Wrapper(flag="runner:hatch"),
    ("rye", "run"): Wrapper(flag="runner:rye"),
    ("pixi", "run"): Wrapper(_flags("-e --environment --manifest-path"), flag="runner:pixi"),
    ("pipenv", "run"): Wrapper(flag="runner:pipenv"),
    ("pipx", "run"): Wrapper(_flags("--spec --python --pip-args"), flag="runner:pipx", is_package=True),
    ("conda", "run"): Wrapper(_flags("-n --name -p --prefix --cwd"), flag="runner:conda"),
    ("micromamba", "run"): Wrapper(_flags("-n --name -p --prefix --cwd"), flag="runner:conda"),
    ("bundle", "exec"): Wrapper(flag="runner:bundle"),
    ("mise", "exec"): Wrapper(flag="runner:mise", must_have="--"),
    ("mise", "x"): Wrapper(flag="runner:mise", must_have="--"),
    ("direnv", "exec"): Wrapper(skip=1, flag="runner:direnv"),
    ("doppler", "run"): Wrapper(flag="runner:doppler", must_have="--"),
    ("op", "run"): Wrapper(flag="runner:op", must_have="--"),
    ("aws-vault", "exec"): Wrapper(flag="runner:aws-vault", must_have="--"),
    ("docker", "exec"): Wrapper(_EXEC, skip=1, flag="remote:docker", remote="docker"),
    ("podman", "exec"): Wrapper(_EXEC, skip=1, flag="remote:docker", remote="docker"),
    ("docker", "run"): Wrapper(_DOCKER_RUN, skip=1, flag="remote:docker", remote="docker"),
    ("podman", "run"): Wrapper(_DOCKER_RUN, skip=1, flag="remote:docker", remote="docker"),
    ("docker", "compose", "exec"): Wrapper(_EXEC, skip=1, flag="remote:docker", remote="docker"),
    ("docker", "compose", "run"): Wrapper(_DOCKER_RUN, skip=1, flag="remote:docker", remote="docker"),
    ("docker-compose", "exec"): Wrapper(_EXEC, skip=1, flag="remote:docker", remote="docker"),
    ("docker-compose", "run"): Wrapper(_DOCKER_RUN, skip=1, flag="remote:docker", remote="docker"),
    ("kubectl", "exec"): Wrapper(_KUBECTL, skip=1, flag="remote:kubectl", remote="k8s", must_have="--"),
    ("oc", "exec"): Wrapper(_KUBECTL, skip=1, flag="remote:kubectl", remote="k8s", must_have="--"),
    ("wsl",): Wrapper(_flags("-d --distribution -u --user"), flag="remote:wsl", remote="wsl"),
}
"""Wrapper by the words it starts with; longest first."""

GLOBAL_VALUES = _flags(
    """-f --file -p --project-name --context -H --host -n --namespace --kubeconfig -C --directory --project --prefix -w
    --cwd"""
)
"""Flags with a value that stand between a program and its subcommand (`kubectl -n prod exec`)."""
SSH_VALUES = _flags("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w")
SHELLS = _flags("bash sh zsh dash ksh ash")
POWERSHELLS = _flags("powershell pwsh")
INTERPRETERS = re.compile(r"(?:python|pypy)[\d.]*$")


def basename(word: str) -> str:
    """Return the program's name of a command word: no directories, no `.exe`."""
    if "\\" in word:
        word = word.replace("\\", "/")
    if "/" in word:
        word = word.rstrip("/").rpartition("/")[2] or word
    return word[:-4] if word[-4:] in (".exe", ".EXE") else word


def package_name(word: str) -> str:
    """Return a package's name without version and extras: `@scope/tool@1.2` is `@scope/tool`."""
    return word if word.startswith((".", "/")) else _VERSION.sub("", word)
