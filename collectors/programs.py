"""What programs and tools do, as data: filters, viewers, reads, setup, guards."""

import re
from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILTERS: frozenset[str] = _words(
    """tail head grep egrep fgrep zgrep rg tee jq yq cat less more sort uniq wc cut tr sed awk gawk column fold nl
    tac rev xxd hexdump od strings base64 md5sum sha256sum iconv paste fmt expand unexpand ts pv bat gron xmllint
    json_pp perl json.tool shuf sponge Select-String Select-Object Out-String Format-Table Format-List
    ConvertFrom-Json ConvertTo-Json Where-Object ForEach-Object Measure-Object Sort-Object Out-File Tee-Object
    Out-Null findstr"""
)
"""Programs that, downstream in a pipe, only shape what the program upstream said."""

SCRIPT_FILTERS: frozenset[str] = _words("python python3 node ruby perl php deno bun")
"""Interpreters that are filters downstream when their program is given inline (`| python3 -c '...'`)."""

VIEWERS: frozenset[str] = FILTERS - {"tee", "sponge", "Out-File", "Tee-Object", "perl", "Out-Null"} | _words(
    """ls tree find fd stat file du df ps env printenv which whereis where type whoami id uname hostname date pwd
    man echo printf ag ack diff cmp comm basename dirname realpath readlink Get-Content Get-ChildItem Get-Item
    Write-Output Write-Host Get-Location dir view open_file"""
)
"""Programs that print data the caller asked for; an envelope in what they print is data."""

GIT_VIEWS: frozenset[str] = _words(
    """status log diff show branch blame shortlog ls-files ls-tree ls-remote rev-parse rev-list grep cat-file
    reflog describe merge-base check-ignore show-ref remote version help whatchanged for-each-ref"""
)
"""Subcommands of git that show; read-only where no flag or operand says otherwise."""

EDIT_FLAGS: Mapping[str, tuple[str, ...]] = {
    "sed": ("-i", "--in-place", "-ni", "-Ei", "-ri"),
    "find": ("-delete", "-exec", "-ok", "-fprint"),
    "sort": ("-o", "--output"),
    "perl": ("-i", "-pi", "-ni"),
    "awk": ("-i",),
    "yq": ("-i", "--inplace"),
    "jq": (),
}
"""Flags, by their start, that make a viewer change files."""

READ_ONLY: frozenset[str] = VIEWERS | _words(
    """command hash [ [[ test true false : cd pushd popd sleep wait lsof free top netstat ss dig nslookup host
    ping nm objdump ldd cut seq expr bc shellcheck Get-Command Get-Process Test-Path Start-Sleep jobs help uptime
    nproc lscpu locale tput"""
)
"""Programs that change nothing as far as known."""

SETUP: frozenset[str] = _words(
    """cd pushd popd export unset set shopt source . alias unalias declare typeset local readonly true : echo
    printf sleep wait read trap umask ulimit hash break continue return exit exec mkdir clear disown jobs eval
    shift pwd date Set-Location Push-Location Start-Sleep Write-Output Write-Host chcp"""
)
"""Programs that prepare or announce; one is the main run only where nothing else runs.

`mkdir` is among them (it stands before what matters); `echo` and `printf` announce.
"""

CONDITIONS: frozenset[str] = _words("[ [[ test tee command hash")
"""Programs whose status is a condition (`command` is left only as `command -v`), and `tee`, which only copies."""

GUARDS: frozenset[str] = _words("[ [[ test which type hash command grep egrep rg pgrep false")
"""Programs whose status is a condition for what follows `&&` or `||`."""

WAITS: frozenset[str] = _words("sleep wait Start-Sleep")

PATTERN_PROGRAMS: frozenset[str] = _words("sed awk gawk perl grep egrep fgrep zgrep rg ag ack jq yq tr expr findstr")
"""Programs whose first operand is a pattern or script, which must not be read as a path."""

INLINE_CODE: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("python", "python2", "python3", "pypy3"), frozenset({"-c"})),
    **dict.fromkeys(("node", "ruby", "perl", "php", "deno", "bun"), frozenset({"-e", "-p", "-r", "--eval", "--print"})),
    "psql": frozenset({"-c", "--command"}),
    "mysql": frozenset({"-e", "--execute"}),
}
"""Flags that carry a program or statement as text: their target is its hash, not its text."""

SQL_PROGRAMS: frozenset[str] = _words("psql mysql mariadb sqlite3 duckdb clickhouse-client snowsql bq sqlcmd")
HTTP_PROGRAMS: frozenset[str] = _words("curl wget http https httpie xh Invoke-WebRequest Invoke-RestMethod iwr irm")

READ_TOOLS: frozenset[str] = _words(
    """Read Grep Glob LS WebFetch WebSearch TodoRead TodoWrite TaskOutput TaskList TaskGet BashOutput NotebookRead
    ToolSearch ListMcpResources ReadMcpResource AskUserQuestion ExitPlanMode EnterPlanMode update_plan view_image
    read_file list_directory glob search_file_content read_many_files google_web_search web_fetch grep_search
    codebase_search think view todo_write todowrite todoread webfetch websearch"""
)
"""Structured tools of harnesses that change nothing outside the session."""

VIEW_TOOLS: frozenset[str] = READ_TOOLS & _words(
    """Read Grep Glob LS WebFetch WebSearch NotebookRead read_file list_directory glob search_file_content
    read_many_files google_web_search web_fetch grep_search codebase_search view webfetch websearch view_image"""
)
"""Those of them that return contents of files and pages: an envelope in what they return is data."""

WRITE_TOOLS: frozenset[str] = _words(
    """Edit MultiEdit Write NotebookEdit Update apply_patch write_file replace edit create str_replace_editor
    str_replace_based_edit_tool Task Agent KillShell KillBash write_stdin search_replace delete_file"""
)
"""Structured tools that change state though their name may read like a read."""

READ_VERBS: frozenset[str] = _words(
    """cat check-ignore describe diff doctor explain find get help history info inspect list log logs ls outdated
    ping plan preview print query read search show status tail top tree trace validate version view whoami why
    grep blame shortlog rev-parse rev-list ls-files ls-tree ls-remote cat-file merge-base name-rev for-each-ref
    show-ref count-objects reflog images ps stats events ready fetch retrieve lookup count summarize peek exists
    scan analyze"""
)
"""Last words of a path that change nothing as far as known, and last words of a structured tool's name."""

READ_PREFIXES: frozenset[str] = _words("describe list get show head search query lookup batch-get")
"""First parts of dashed verbs that read: `aws ec2 describe-instances`."""

VIEW_OPERATIONS: frozenset[str] = frozenset(
    {
        *(
            f"{name} logs"
            for name in ("kubectl", "oc", "docker", "docker compose", "podman", "heroku", "fly", "vercel")
        ),
        *("gh pr diff", "gh pr view", "gh run view", "gh issue view", "systemctl cat"),
    }
)
"""Operations of other programs that print stored text."""

_NAME_PART = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def name_words(tool_name: str) -> list[str]:
    """Return the words of a structured tool's own name, lower case: `mcp__srv__listItems` gives list, items."""
    own = tool_name.rpartition("__")[2].rpartition(".")[2]
    return [word.lower() for word in _NAME_PART.findall(own)]
