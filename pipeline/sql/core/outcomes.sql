-- One row per call: the call joined with its answer, and the one status it has (definitions 1).
-- Key: call_key. Internal; `core.attempts` is the public table.
with

calls as (

    select * from staging.calls

),

results as (

    select * from staging.results

),

-- a call that stops answering right before the person stopped the agent was interrupted
interrupted as (

    select distinct calls.call_key

    from calls

    inner join staging.turns as stops
        on stops.session_id = calls.session_id
        and stops.actor_id = calls.actor_id
        and stops.kind = 'interruption'
        and stops.time_unix_nano >= calls.time_unix_nano

    where
        not exists (select 1 from results where results.call_key = calls.call_key)
        and not exists (

            select 1
            from calls as later
            where
                later.session_id = calls.session_id
                and later.actor_id = calls.actor_id
                and later.time_unix_nano > calls.time_unix_nano
                and later.time_unix_nano < stops.time_unix_nano
                and later.turn_id is distinct from calls.turn_id

        )

),

-- a shell that answers 127 to unlike commands without a word is broken itself; three make it certain
broken_sessions as (

    select calls.session_id

    from calls

    inner join results on results.call_key = calls.call_key

    where results.exit_code = 127 and regexp_full_match(coalesce(results.output, ''), '\s*')

    group by calls.session_id

    having count(distinct calls.operation) >= 3

),

-- a shell that reports a failure of an `echo` whose own text says 0 contradicts itself
contradicted_sessions as (

    select
        calls.session_id,
        min(results.exit_code) as exit_code

    from calls

    inner join results on results.call_key = calls.call_key

    where
        calls.program = 'echo'
        and calls.status_owner = 'own'
        and len(coalesce(calls.flags, [])) = 0
        and contains(calls.command, '$?')
        and results.exit_code between 1 and 125
        and results.echoed_exit_code = 0
        and not coalesce(results.looks_failed, false)

    group by calls.session_id

),

-- and where no command came back good, that is why
lying_sessions as (

    select
        contradicted_sessions.session_id,
        contradicted_sessions.exit_code

    from contradicted_sessions

    where not exists (

        select 1
        from calls
        inner join results on results.call_key = calls.call_key
        where
            calls.session_id = contradicted_sessions.session_id
            and calls.status_owner != 'harness'
            and results.signalled_ok

    )

),

-- a program in the background was reported as good, and a later look at the file it printed into shows a failure
doubted as (

    select distinct ended.call_key

    from (

        select
            calls.call_key,
            calls.session_id,
            calls.actor_id,
            calls.command,
            results.time_unix_nano

        from calls

        inner join results on results.call_key = calls.call_key

        where results.status_reason = 'background_end' and results.status = 'ok' and contains(calls.command, '>')

    ) as ended

    inner join calls as views
        on views.session_id = ended.session_id
        and views.actor_id = ended.actor_id
        and views.is_viewer
        and views.time_unix_nano >= ended.time_unix_nano

    inner join results as seen on seen.call_key = views.call_key

    where
        seen.looks_failed
        and len(list_filter(
            regexp_extract_all(views.target, '"([^"]{3,300})"', 1),
            lambda name: contains(ended.command, '>' || name) or contains(ended.command, '> ' || name)
        )) > 0

),

answered as (

    select
        calls.*,
        results.call_key is not null as is_answered,
        results.path as result_path,
        results.status as told_status,
        results.status_reason as told_reason,
        results.time_unix_nano as result_unix_nano,
        results.duration_ms as told_duration_ms,
        results.tokens as told_tokens,
        results.output,
        results.output_bytes,
        results.output_hash,
        results.fingerprint,
        results.tool_version,
        results.dialect,
        results.error_code as told_code,
        results.code_source as told_code_source,
        results.message as told_message,
        results.retryable as told_retryable,
        results.retry_after_ms as told_retry_after_ms,
        results.fix_required as told_fix_required,
        results.fix_command as told_fix_command,
        results.fix_source,
        results.fix_key as told_fix_key,
        results.phase,
        results.suggestion,
        results.context,
        results.side_effects,
        results.declared_class as told_class,
        results.maturity as told_maturity,
        results.http_status,
        results.internal_attempts,
        results.request_id,
        results.signalled_ok as told_signal,
        results.envelope_ok,
        coalesce(results.says_failed, false) and not calls.is_viewer as says_failed,
        coalesce(results.looks_failed, false) and not calls.is_viewer as looks_failed,
        coalesce(results.source_count, 0) as result_source_count,
        coalesce(results.flags, []) as result_flags,
        -- only the program's own status is its exit code; a filter's or a fallback's is nobody's
        case
            when doubted.call_key is not null then null
            when calls.status_owner = 'echoed' then
                case when not list_contains(coalesce(calls.flags, []), 'echo_inside') then results.echoed_exit_code end
            when calls.status_owner in ('own', 'harness') and calls.status_reason is distinct from 'exit_replaced'
                then results.exit_code
        end as exit_code,
        -- who spoke instead of the program: the wrapper around it, whose codes its manual reserves, or the `cd` before it
        case
            when list_contains(calls.flags, 'timeout') and results.exit_code in (124, 137) then 'killed:timeout'
            when list_contains(calls.flags, 'remote:ssh') and results.exit_code = 255 then 'not_run:ssh'
            when list_contains(calls.flags, 'remote:docker') and results.exit_code in (125, 126, 127) then 'not_run:docker'
            when list_contains(calls.flags, 'xargs') and results.exit_code in (123, 124, 125) then 'unknown:xargs'
            when
                list_contains(calls.flags, 'setup:cd')
                and results.exit_code = 1
                and contains(calls.command, '&&')
                and regexp_full_match(
                    trim(results.output, e' \n'), '(?:\S*sh: (?:line \d+: )?|\(eval\):|\S*sh:)?cd:[^\n]*'
                )
                then 'not_run:cd'
        end as wrapper_told,
        -- in a chain of programs that matter any of them may own the failure
        calls.status_owner = 'own'
            and (calls.status_reason = 'chain' or starts_with(calls.status_reason, 'guard:')) as is_chain,
        interrupted.call_key is not null as was_interrupted,
        doubted.call_key is not null as is_doubted,
        coalesce(
            (
                broken_sessions.session_id is not null
                and (
                    results.exit_code = 127
                    or (results.exit_code = 126 and regexp_full_match(coalesce(results.output, ''), '\s*'))
                )
            )
            or (results.exit_code = lying_sessions.exit_code and calls.status_owner != 'harness'),
            false
        ) as is_shell_broken

    from calls

    left join results on results.call_key = calls.call_key

    left join interrupted on interrupted.call_key = calls.call_key

    left join broken_sessions on broken_sessions.session_id = calls.session_id

    left join lying_sessions on lying_sessions.session_id = calls.session_id

    left join doubted on doubted.call_key = calls.call_key

),

decided as (

    select
        *,
        coalesce(list_contains(benign_exits, exit_code), false) as is_benign,
        case
            when not is_answered and was_interrupted then 'interrupted'
            when not is_answered then 'pending'
            when is_shell_broken and not says_failed then 'harness_fault'
            when told_status in (
                'refused', 'blocked', 'interrupted', 'cancelled', 'not_run', 'harness_fault', 'killed'
            ) then told_status
            when told_status = 'running' then 'pending'
            -- an interpreter that ends well has dealt with what a program inside its script said
            when says_failed and told_signal and list_contains(flags, 'heredoc_script') then 'unknown'
            when says_failed then 'error'
            when is_doubted then 'unknown'
            when wrapper_told is not null then split_part(wrapper_told, ':', 1)
            when is_chain and told_status = 'error' then 'unknown'
            when status_owner = 'echoed' and exit_code is not null then
                case when exit_code = 0 or coalesce(list_contains(benign_exits, exit_code), false) then 'ok' else 'error' end
            when status_owner in ('masked', 'background', 'echoed') then
                case when envelope_ok and not is_viewer then 'ok' else 'unknown' end
            when status_owner = 'negated' then
                case told_signal when true then 'error' when false then 'ok' else 'unknown' end
            when coalesce(list_contains(benign_exits, exit_code), false) then 'ok'
            when told_status in ('ok', 'error') then told_status
            else 'unknown'
        end as status

    from answered

)

select
    *,
    case
        when status = 'unknown' and (looks_failed or says_failed or is_doubted or (is_chain and told_signal is false))
            then 'suspected'
        else 'certain'
    end as evidence,
    case
        when status = 'harness_fault' and is_shell_broken then 'shell_broken'
        when is_doubted and status = 'unknown' then 'background_exit_unreliable'
        when says_failed and status = 'unknown' then 'inner_program'
        when status = split_part(wrapper_told, ':', 1) and told_status = 'error' then split_part(wrapper_told, ':', 2)
        when status = 'unknown' then coalesce(status_reason, told_reason)
        else told_reason
    end as reason,
    -- the status the model reads first; behind a pipe or a fallback it is nobody's
    case when status_owner in ('own', 'harness') then told_signal when status_owner = 'echoed' then exit_code = 0 end
        as signalled_ok,
    case status when 'ok' then true when 'error' then false end as true_ok,
    coalesce(status = 'error' and envelope_ok and not says_failed and not is_viewer, false) as is_signal_conflict,
    status in ('ok', 'error', 'unknown', 'killed', 'interrupted', 'pending') as has_run,
    -- an error that is declared free of side effects (exit codes 2, 4-9, 11-13; phase validation) changed nothing
    status in ('ok', 'error', 'unknown', 'killed', 'interrupted', 'pending')
        and not is_wait
        and not is_read_only
        and not coalesce(
            status = 'error'
            and (phase = 'validation' or (dialect is not null and exit_code in (2, 4, 5, 6, 7, 8, 9, 11, 12, 13))),
            false
        ) as is_changing

from decided
