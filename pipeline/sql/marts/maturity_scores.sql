-- One row per tool: how much of the ladder its errors carry (definitions 9).
-- Key: tool. Uncoded failures score 0 and are in the average; harness tools and shell programs alike.
with

occurrences as (

    select * from core.attempts where status = 'error'

),

codes as (

    select
        tool,
        min(maturity) filter (where not is_provisional) as lowest_code_maturity,
        min(proven_maturity) filter (where not is_provisional) as lowest_code_proven,
        count(*) as code_count,
        count(*) filter (where maturity_state = 'contradicted') as contradicted_count

    from marts.error_codes

    group by tool

),

counted as (

    select
        tool,
        count(*) as occurrence_count,
        count(*) filter (where maturity = 0) as score_0_count,
        count(*) filter (where maturity = 1) as score_1_count,
        count(*) filter (where maturity = 2) as score_2_count,
        count(*) filter (where maturity = 3) as score_3_count,
        avg(maturity) as mean_maturity,
        count(*) filter (where code_source = 'envelope') as with_code_count,
        count(retryable) as with_retryable_count,
        count(retry_after_ms) as with_retry_after_count,
        count(fix_required) as with_fix_required_count,
        count(fix_command) as with_fix_command_count

    from occurrences

    group by tool

),

levelled as (

    select
        counted.*,
        case
            when score_3_count >= parameters.maturity_share * occurrence_count then 3
            when score_3_count + score_2_count >= parameters.maturity_share * occurrence_count then 2
            when occurrence_count - score_0_count >= parameters.maturity_share * occurrence_count then 1
            else 0
        end as level,
        occurrence_count < parameters.maturity_occurrences as is_provisional

    from counted

    cross join meta.parameters as parameters

)

select
    ---------- ids
    levelled.tool,
    ---------- numbers
    least(levelled.level, coalesce(codes.lowest_code_maturity, levelled.level)) as maturity,
    least(levelled.level, coalesce(codes.lowest_code_proven, levelled.level)) as proven_maturity,
    levelled.mean_maturity,
    levelled.occurrence_count,
    levelled.score_0_count,
    levelled.score_1_count,
    levelled.score_2_count,
    levelled.score_3_count,
    levelled.with_code_count,
    levelled.with_retryable_count,
    levelled.with_retry_after_count,
    levelled.with_fix_required_count,
    levelled.with_fix_command_count,
    coalesce(codes.code_count, 0) as code_count,
    coalesce(codes.contradicted_count, 0) as contradicted_count,
    ---------- booleans
    levelled.is_provisional

from levelled

left join codes on codes.tool = levelled.tool
