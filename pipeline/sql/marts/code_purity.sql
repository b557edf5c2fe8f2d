-- One row per tool, code and class whose failures were tried again: is it one error, or several under one name?
-- Key: (tool, error_code, declared_class). Finding `generic_code` of definitions 12, statistics 9.
-- Generic: two message templates or more and mixed behaviour, where the code's own name says nothing, or where a facet of
-- the failure tells its behaviour better than chance. Rates of a generic code are an average of unlike things: not ranked.
with

behaviours as (

    select * from core.behaviours

),

counted as (

    select
        tool,
        error_code,
        declared_class,
        count(*) as failure_count,
        count(distinct session_id) as session_count,
        count(distinct template) as template_count,
        count(distinct behaviour) as behaviour_count,
        count(*) filter (where behaviour = 'clears') as clears_count,
        count(*) filter (where behaviour = 'by_fix') as by_fix_count,
        count(*) filter (where behaviour = 'by_change') as by_change_count,
        count(*) filter (where behaviour = 'never') as never_count,
        arg_min(episode_id, (session_id, episode_id), 10) as evidence

    from behaviours

    group by tool, error_code, declared_class

),

-- the commonest messages, each with how it mostly ended
templates as (

    select
        tool,
        error_code,
        declared_class,
        template,
        sum(n) as failure_count,
        arg_min(behaviour, (-n, behaviour)) as behaviour,
        max(n) as behaviour_count

    from (

        select tool, error_code, declared_class, template, behaviour, count(*) as n
        from behaviours
        group by tool, error_code, declared_class, template, behaviour

    )

    group by tool, error_code, declared_class, template

),

examples as (

    select
        tool,
        error_code,
        declared_class,
        arg_min(template, (-failure_count, template), 4) as templates,
        arg_min(behaviour, (-failure_count, template), 4) as template_behaviours,
        arg_min(behaviour_count, (-failure_count, template), 4) as template_behaviour_counts,
        arg_min(failure_count::bigint, (-failure_count, template), 4) as template_counts

    from templates

    group by tool, error_code, declared_class

),

judged as (

    select
        counted.*,
        examples.* exclude (tool, error_code, declared_class),
        fits.entropy,
        fits.facet,
        fits.information,
        fits.by_chance,
        fits.p_value,
        fits.adjusted_p_value,
        counted.template_count >= 2 and counted.behaviour_count >= 2 as is_mixed,
        coalesce(fits.adjusted_p_value <= 0.05, false) as is_split

    from counted

    inner join examples
        on examples.tool = counted.tool
        and examples.error_code = counted.error_code
        and examples.declared_class = counted.declared_class

    inner join core.purity_fits as fits
        on fits.tool = counted.tool
        and fits.error_code = counted.error_code
        and fits.declared_class = counted.declared_class

)

select
    ---------- ids
    tool,
    error_code,
    declared_class,
    ---------- strings
    case
        when is_split then 'contradicted'
        when is_mixed and (is_generic_code(error_code) or coalesce(information > by_chance, false)) then 'watch'
        when failure_count < 5 then 'insufficient'
        else 'supported'
    end as verdict,
    facet,
    templates,
    template_behaviours,
    template_behaviour_counts,
    template_counts,
    ---------- numbers
    failure_count,
    session_count,
    template_count,
    behaviour_count,
    clears_count,
    by_fix_count,
    by_change_count,
    never_count,
    entropy,
    information,
    by_chance,
    information - by_chance as excess,
    p_value,
    adjusted_p_value,
    ---------- evidence: episodes, at most ten
    evidence,
    ---------- booleans
    is_split,
    is_mixed and (is_split or is_generic_code(error_code)) as is_generic,
    is_split or (is_mixed and is_generic_code(error_code)) as is_flagged

from judged
