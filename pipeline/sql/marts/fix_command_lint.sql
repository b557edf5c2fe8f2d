-- One row per tool, code and declared fix command: what its text alone breaks (REQ-C-030, definitions 12).
-- Key: (tool, error_code, fix_command). Nothing here is ever run. One event can never prove a command static.
with

fixes as (

    select
        tool,
        error_code,
        fix_command,
        min(fix_source) as fix_source,
        max((fix_key is not distinct from argv_key)::integer) = 1 as is_self_referential,
        count(*) as occurrence_count,
        count(distinct session_id) as session_count,
        arg_min(attempt_id, (order_ns, attempt_id), 10) as evidence,
        regexp_extract(fix_command, '^\s*(?:\S*/)?([^\s/]+)', 1) as program

    from core.attempts

    where status = 'error' and fix_command is not null and error_code is not null

    group by tool, error_code, fix_command

),

counted as (

    select
        *,
        count(*) over (partition by tool, error_code) as variant_count

    from fixes

),

checked as (

    select
        *,
        has_placeholder(fix_command) as has_placeholder,
        regexp_matches(fix_command, '[|;`\n]|&&|\$\(|(^|\s)[<>]{1,2}\s*\S') and not regexp_matches(fix_command, '^[^|;`&]*<[^>\s]+>[^|;`&]*$')
            as has_shell_syntax,
        regexp_matches(fix_command, '(^|\s)(rm\s+-[a-z]*[rf]|reset\s+--hard|drop|destroy|delete|purge|wipe|format|truncate|mkfs)(\s|$)')
            or exists (
                select 1
                from meta.destructive as destructive
                where starts_with(trim(regexp_replace(fix_command, '\s+', ' ', 'g')) || ' ', destructive.command || ' ')
            ) as is_destructive,
        regexp_matches(fix_command, '(^|\s)(force-unlock|--force|-f|--yes|-y|overwrite|--no-verify|revoke)(\s|$)')
            as is_destructive_suspect,
        regexp_matches(fix_command, '\b(apply-next|next|append|increment|create|add)\b') as is_idempotence_unclear,
        variant_count > 1 as is_interpolated,
        program != tool
            and not contains(tool, program)
            and not exists (
                select 1
                from meta.companions as companions
                where companions.tool in ('*', counted.tool) and companions.program = counted.program
            ) as is_foreign,
        not regexp_matches(fix_command, '^\s*[A-Za-z0-9_./@-]+(\s|$)')
            or regexp_matches(fix_command, '^\s*([Pp]lease|[Rr]un|[Tt]ry|[Uu]se|[Cc]ontact|[Aa]sk)\s') as is_prose

    from counted

)

select
    ---------- ids
    tool,
    error_code,
    fix_command,
    ---------- strings
    fix_source,
    list_concat(
        case when has_placeholder then ['placeholder'] else [] end,
        case when has_shell_syntax then ['shell_syntax'] else [] end,
        case when is_destructive then ['destructive'] else [] end,
        case when is_destructive_suspect and not is_destructive then ['destructive_suspect'] else [] end,
        case when is_foreign then ['foreign_program'] else [] end,
        case when is_interpolated then ['interpolated'] else [] end,
        case when is_self_referential then ['self_referential'] else [] end,
        case when is_prose then ['prose'] else [] end,
        case when is_idempotence_unclear and not (is_destructive or has_shell_syntax or is_interpolated) then ['needs_manifest'] else [] end
    ) as rules,
    ---------- numbers
    occurrence_count,
    session_count,
    variant_count,
    ---------- evidence: attempts, at most ten
    evidence,
    ---------- booleans
    has_placeholder or has_shell_syntax or is_destructive or is_destructive_suspect or is_foreign or is_interpolated
        or is_self_referential or is_prose as is_flagged

from checked
