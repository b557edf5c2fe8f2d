-- Expressions that several models share: one definition each.

-- The 97.5 % point of the normal distribution, exact: a rounded one makes intervals negative at k = 0.
create or replace macro z_quantile() as (1.959963984540054::double);

-- The score interval for a rate `p` of `n` (effective) trials (E. B. Wilson, 1927).
create or replace macro score_lower(p, n, z) as (
    -- the bound of no success is 0 itself, not what rounding leaves of it; no trial has no bound (greatest drops nulls)
    case
        when p is null then null
        when p = 0 then 0::double
        else greatest(0::double, (p + z * z / (2 * n) - z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n))
    end
);

create or replace macro score_upper(p, n, z) as (
    case
        when p is null then null
        when p = 1 then 1::double
        else least(1::double, (p + z * z / (2 * n) + z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n))
    end
);

create or replace macro wilson_lower(k, n) as (
    case when n > 0 then score_lower(k / n::double, n::double, z_quantile()) end
);

create or replace macro wilson_upper(k, n) as (
    case when n > 0 then score_upper(k / n::double, n::double, z_quantile()) end
);

-- Which codes say nothing (definitions 9): a constant that fits every failure.
create or replace macro is_generic_code(code) as (
    code in (
        'ERROR', 'ERR', 'UNKNOWN', 'UNKNOWN_ERROR', 'FAILURE', 'FAILED', 'INTERNAL', 'INTERNAL_ERROR',
        'GENERAL_ERROR', 'GENERIC_ERROR', 'UNEXPECTED_ERROR', 'SERVER_ERROR', 'EXCEPTION', 'OTHER'
    )
);

create or replace macro is_rate_limit(code, exit_code, http_status) as (
    coalesce(regexp_matches(code, '(^|_)(RATE_LIMIT|RATE_LIMITED|THROTTL|TOO_MANY_REQUESTS)'), false)
    or coalesce(exit_code = 11, false)
    or coalesce(http_status = 429, false)
);

-- A condition that one safe command could clear, so that a missing fix_command is a missing rung.
create or replace macro is_command_fixable(code) as (
    coalesce(regexp_matches(
        code,
        '(EXPIRED|UNAUTHENTICATED|AUTH_REQUIRED|LOGIN_REQUIRED|NOT_LOGGED_IN|NOT_INITIALIZED|CONFIG_MISSING|NOT_CONFIGURED|STALE|OUTDATED)'
    ), false)
);

-- A condition that the caller can clear, whatever its class says (the exit codes are the table's "after fix").
create or replace macro is_caller_fixable(code, exit_code) as (
    coalesce(regexp_matches(
        code,
        '(VALIDATION|INVALID|ARG_ERROR|BAD_REQUEST|_MISSING$|^MISSING_|_REQUIRED$|PRECONDITION|MALFORMED|UNSUPPORTED)'
    ), false)
    or is_command_fixable(code)
    or coalesce(exit_code in (2, 4, 8, 9, 13), false)
);

-- A code that names the argument as the problem (definitions 2: "the failing error is about the argument").
create or replace macro is_about_argument(code, phase, exit_code, declared_class) as (
    coalesce(declared_class = 'correctable', false)
    or coalesce(phase = 'validation', false)
    or coalesce(exit_code = 2, false)
    or coalesce(regexp_matches(code, '(INVALID|UNKNOWN_|NOT_FOUND|NO_SUCH|UNRECOGNI[SZ]ED|AMBIGUOUS|VALIDATION)'), false)
);

-- A part that the caller has to fill in: `<token>`, `$NAME`, `{name}`.
create or replace macro has_placeholder(command) as (
    regexp_matches(command, '<[^>]*>|\$[A-Za-z_{]|\{[A-Za-z_]+\}')
);

-- A fix that has to be completed first cannot be run as it stands.
create or replace macro is_fix_placeholder(fix_command) as (
    coalesce(regexp_matches(fix_command, '[<>`]|\$[A-Za-z_{(]|\{[a-z_]+\}'), false)
);

create or replace macro is_conflict(code) as (
    coalesce(regexp_matches(code, '(CONFLICT|ALREADY_EXISTS|ALREADY_DONE|DUPLICATE)'), false)
);

-- What is constant in a message: quoted parts, paths and numbers masked (statistics 12).
create or replace macro message_template(message) as (
    substr(trim(regexp_replace(
        regexp_replace(
            regexp_replace(
                regexp_replace(substr(message, 1, 1000), '"[^"]*"|`[^`]*`|(^|[\s(])''[^'']*''', ' <quoted>', 'g'),
                '[\w.@+~-]*/[\w.@+~/-]+', '<path>', 'g'
            ),
            '\b(0[xX])?[0-9a-fA-F]*[0-9][0-9a-fA-F-]*', '<n>', 'g'
        ),
        '\s+', ' ', 'g'
    )), 1, 200)
);

create or replace macro similarity(a, b) as (
    1 - levenshtein(a, b)::double / greatest(length(a), length(b), 1)
);

-- The clustered Wilson interval (statistics 1): sessions that loop are one witness, not many. With one trial in every
-- session there is nothing to cluster and it is the plain one. `yy`, `ym`, `mm` are sums over sessions of y*y, y*m
-- and m*m (y successes of m trials), `t` is the 97.5 % point of Student's t with sessions - 1 degrees of freedom.
create or replace macro cluster_trials(k, n, sessions, yy, ym, mm) as (
    case
        when n = 0 then null
        when mm = n then n::double
        when k = 0 or k = n or sessions < 2 then sessions::double
        else least(n::double, (k / n::double) * (1 - k / n::double) / (
            sessions / (sessions - 1)::double
            * (yy - 2 * (k / n::double) * ym + (k / n::double) * (k / n::double) * mm) / (n * n::double)
        ))
    end
);

create or replace macro cluster_z(n, sessions, mm, t) as (
    case when mm = n or sessions < 2 then z_quantile() else coalesce(t, z_quantile()) end
);
