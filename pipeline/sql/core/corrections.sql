-- One row per failure that was answered by the same command on another target: a corrected argument
-- (`prodution` -> `prod`), or the part of a batch that had failed. Internal; `core.reissues` is the public table.
-- Key: attempt_id. Rule: definitions 2, relations of two invocations.
with

attempts as (

    select
        *,
        trim(regexp_replace(target, '"-+[^"]*":|[\[\]{}",]+', ' ', 'g')) as target_values

    from core.attempts

    where has_run and not is_wait and target != ''

),

failures as (

    select
        *,
        is_about_argument(error_code, phase, exit_code, declared_class) as is_about_argument,
        coalesce(error_code = 'PARTIAL_FAILURE' or exit_code = 3, false) as is_partial,
        concat_ws(' ', suggestion, context, fix_required) as said

    from attempts

    where status = 'error'

),

candidates as (

    select
        failures.attempt_id,
        later.attempt_id as reissue_id,
        later.attempt_number as reissue_number,
        failures.attempt_number,
        case
            when failures.is_partial and list_has_all(
                regexp_split_to_array(failures.target_values, '[\s,]+'),
                regexp_split_to_array(later.target_values, '[\s,]+')
            ) then 'narrowed'
            when failures.is_about_argument and (
                similarity(failures.target_values, later.target_values) >= parameters.corrected_similarity
                or (length(later.target_values) >= 2 and contains(failures.said, later.target_values))
            ) then 'corrected'
        end as kind

    from failures

    cross join meta.parameters as parameters

    inner join attempts as later
        on later.session_id = failures.session_id
        and later.actor_id = failures.actor_id
        and later.tool = failures.tool
        and later.operation = failures.operation
        and later.operation_key != failures.operation_key
        and later.turn_number > failures.turn_number
        and later.attempt_number <= failures.attempt_number + parameters.horizon_attempts
        and coalesce(later.started_ms - failures.ended_ms <= parameters.horizon_ms, true)

    where failures.is_about_argument or failures.is_partial

),

-- the operation as it was tried before: another attempt of it in between ends the search
followed as (

    select
        attempt_id,
        lead(attempt_number) over same as next_number,
        lag(status) over same as previous_status

    from attempts

    window same as (partition by session_id, actor_id, operation_key order by attempt_number)

)

select
    candidates.attempt_id,
    candidates.reissue_id,
    candidates.kind

from candidates

inner join followed as failed on failed.attempt_id = candidates.attempt_id

inner join followed as corrected on corrected.attempt_id = candidates.reissue_id

where
    candidates.kind is not null
    and coalesce(failed.next_number > candidates.reissue_number, true)
    -- a target that is already failing on its own account is no correction of another
    and corrected.previous_status is distinct from 'error'

qualify
    row_number() over (partition by candidates.attempt_id order by candidates.reissue_number) = 1
    and row_number() over (partition by candidates.reissue_id order by candidates.attempt_number desc) = 1
