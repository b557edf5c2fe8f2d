-- One row per change of an error's identity between versions of its tool: renamed, declared otherwise, fixed otherwise.
-- Key: (tool, kind, error_code, before, after). Definitions 12: code stability.
-- A rename is one message template under one code in some versions and under another in later ones. Names listed as
-- aliases of each other are settled and not flagged. Versions are ordered by when they were first seen.
with

-- failures that say the same in the same version: there are few, and what follows is about their texts
failures as (

    select
        tool,
        error_code,
        declared_class,
        fix_command,
        tool_version,
        message_template(message) as template,
        count(*) as failure_count,
        arg_min(attempt_id, (session_id, attempt_id), 5) as evidence

    from core.attempts

    where
        status = 'error'
        and code_source = 'envelope'
        and error_code is not null
        and tool_version is not null

    group by tool, error_code, declared_class, fix_command, tool_version, message

),

versions as (

    select
        tool,
        tool_version,
        row_number() over (partition by tool order by min(order_ns), tool_version) as version_number

    from core.attempts

    where tool_version is not null

    group by tool, tool_version

),

numbered as (

    select
        failures.*,
        versions.version_number

    from failures

    inner join versions on versions.tool = failures.tool and versions.tool_version = failures.tool_version

),

-- the three things that may change, each a value of a subject
told as (

    select 'rename' as kind, tool, template as subject, error_code as value, version_number, tool_version, failure_count, evidence, error_code
    from numbered
    -- too short a text is no signature
    where length(regexp_replace(template, '[^A-Za-z0-9]', '', 'g')) >= 8

    union all

    select 'class_flip', tool, error_code, declared_class, version_number, tool_version, failure_count, evidence, error_code
    from numbered

    union all

    select 'fix_edit', tool, error_code, fix_command, version_number, tool_version, failure_count, evidence, error_code
    from numbered
    where fix_command is not null and declared_class = 'correctable'

),

-- two values in one version are an inconsistency, or a text put together at run time, and no change of versions
held as (

    select *

    from told

    window same as (partition by kind, tool, subject, version_number)

    qualify min(value) over same = max(value) over same

),

ranges as (

    select
        kind,
        tool,
        subject,
        value,
        any_value(error_code) as error_code,
        min(version_number) as first_number,
        max(version_number) as last_number,
        arg_min(tool_version, version_number) as first_version,
        arg_max(tool_version, version_number) as last_version,
        sum(failure_count) as failure_count,
        list_slice(list_sort(flatten(list(evidence))), 1, 5) as evidence

    from held

    group by kind, tool, subject, value

),

-- a value that ends before the next begins
followed as (

    select
        *,
        lead(value) over later as next_value,
        lead(first_number) over later as next_number,
        lead(first_version) over later as next_version,
        lead(failure_count) over later as next_count,
        lead(evidence) over later as next_evidence,
        max(last_number) over (
            partition by kind, tool, subject order by first_number, value rows unbounded preceding
        ) as seen_until

    from ranges

    window later as (partition by kind, tool, subject order by first_number, value)

),

changes as (

    select
        *,
        kind = 'rename' and exists (

            select 1
            from meta.aliases as aliases
            where
                (aliases.alias = followed.value and aliases.code = followed.next_value)
                or (aliases.alias = followed.next_value and aliases.code = followed.value)

        ) as is_settled

    from followed

    where next_value is not null and next_number > seen_until

)

select
    ---------- ids
    tool,
    kind,
    error_code,
    ---------- strings
    value as before,
    next_value as after,
    case when kind = 'rename' then min(subject) end as template,
    any_value(last_version) as before_version,
    any_value(next_version) as after_version,
    ---------- numbers
    sum(failure_count)::bigint as before_count,
    sum(next_count)::bigint as after_count,
    ---------- evidence: attempts of both sides, at most ten
    list_concat(any_value(evidence), any_value(next_evidence)) as evidence,
    ---------- booleans
    max(is_settled::integer) = 1 as is_settled,
    max(is_settled::integer) = 0 as is_flagged

from changes

group by tool, kind, error_code, value, next_value
