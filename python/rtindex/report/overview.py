"""The top of the page: in words and in one strip per contest, which index wins where."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import Dict, List

from . import colours
from .machines import Machine
from .winners import Contest, Verdict
from .words import count, escape, listed, times, x_text

MOST_PLACES = 6  # per index in the list of wins; the strips below show all


def of_machine(machine: Machine, contests: List[Contest]) -> str:
    between = [contest for contest in contests if contest.between_indexes]
    main = [contest for contest in between if _is_main(contest)]
    other = [contest for contest in between if not _is_main(contest)]
    settings = [contest for contest in contests if not contest.between_indexes]
    parts = [
        f'<section class="machine" data-machine="{machine.id}" aria-label="{escape(machine.name)}">',
        f"<h3>{escape(machine.name)}</h3>",
        f'<p class="facts">{escape(machine.details())}</p>',
        _rt_note(machine),
        _sentences(main or between),
        _wins(main or between),
        _strips("Who wins where", main, is_open=True),
        _strips("Who wins at building, memory and the rest", other),
        _strips("Which setting of one index wins", settings),
        "</section>",
    ]
    return "\n".join(part for part in parts if part)


def _is_main(contest: Contest) -> bool:
    return contest.chart.metric is contest.chart.experiment.metrics[0]


def _rt_note(machine: Machine) -> str:
    if not machine.has_no_rt_cores:
        return ""
    return (
        '<p class="note">This GPU has no ray-tracing cores: OptiX traverses in software here, so '
        "<code>rx:optix</code> shows what the method costs, not what an RTX card gives.</p>"
    )


def winner_name(contest: Contest, verdict: Verdict) -> str:
    """The index; with its setting where several of the same index compete."""
    families = [series.family for series in _contestants(contest)]
    alone = families.count(verdict.winner.family) < 2
    label = verdict.winner.label
    if alone and verdict.winner.variant and label.endswith(verdict.winner.variant):
        return label[: -len(verdict.winner.variant) - 2]
    return label


def _contestants(contest: Contest) -> list:
    seen = {}
    for verdict in contest.verdicts:
        for series in (verdict.winner, verdict.second):
            seen[series.label] = series
    return list(seen.values())


def _sentences(contests: List[Contest]) -> str:
    verdicts = [(contest, verdict) for contest in contests for verdict in contest.verdicts]
    if not verdicts:
        return '<p class="lead">Nothing was measured here that two indexes can be compared by.</p>'
    clear = [(contest, verdict) for contest, verdict in verdicts if not verdict.close]
    tally = Counter(winner_name(contest, verdict) for contest, verdict in clear)
    if not tally:
        return '<p class="lead">At every point the first two are too close to call.</p>'
    best, wins = tally.most_common(1)[0]
    factors = sorted(v.factor for contest, v in clear if winner_name(contest, v) == best)
    text = (
        f"<strong>{escape(best)}</strong> wins {wins} of {count(len(verdicts), 'comparison')}, "
        f"{times(factors[0], factors[-1])} ahead of the next index"
    )
    if len(factors) > 4 and factors[-1] / factors[0] > 1.5:
        text += f" ({times(factors[len(factors) // 2], factors[len(factors) // 2])} in the middle)"
    others = [f"{escape(name)} wins {won}" for name, won in tally.most_common()[1:]]
    close = len(verdicts) - len(clear)
    if close:
        others.append(f"{close} {'is' if close == 1 else 'are'} too close to call")
    return f'<p class="lead">{text}{"; " + listed(others) if others else ""}.</p>'


def _wins(contests: List[Contest]) -> str:
    """One line per index: where it wins."""
    places: Dict[str, List[str]] = {}
    family: Dict[str, str] = {}
    for contest in contests:
        for name, verdicts in _by_winner(contest).items():
            family[name] = verdicts[0].winner.family
            places.setdefault(name, []).append(_where(contest, verdicts))
    if len(places) < 2:
        return ""
    items = []
    for name in sorted(places, key=lambda name: -len(places[name])):
        named = places[name][:MOST_PLACES]
        if len(places[name]) > MOST_PLACES:
            named.append(f"{len(places[name]) - MOST_PLACES} more")
        items.append(
            f'<li style="--c: var(--{colours.css_name(family[name], 0)})">'
            f"<strong>{escape(name)}</strong> is ahead in {listed(named)}.</li>"
        )
    return '<ul class="wins">' + "\n".join(items) + "</ul>"


def _by_winner(contest: Contest) -> Dict[str, List[Verdict]]:
    found: Dict[str, List[Verdict]] = {}
    for verdict in contest.verdicts:
        if not verdict.close:
            found.setdefault(winner_name(contest, verdict), []).append(verdict)
    return found


def _where(contest: Contest, verdicts: List[Verdict]) -> str:
    title = _link(contest) + (f" ({escape(contest.condition)})" if contest.condition else "")
    if len(verdicts) == len(contest.verdicts):
        return title
    form = contest.chart.x_form
    if contest.chart.kind == "bars":
        short = contest.chart.short_category
        return f"{title}: {escape(listed([short[verdict.place] for verdict in verdicts]))}"
    spans = []
    for span in _neighbours(contest, verdicts):
        low, high = x_text(span[0].place, form), x_text(span[-1].place, form)
        spans.append(low if low == high else f"{low} to {high}")
    return f"{title} at {listed(spans)}"


def _neighbours(contest: Contest, verdicts: List[Verdict]) -> List[List[Verdict]]:
    """Runs of verdicts that stand side by side in the contest."""
    order = {verdict.place: position for position, verdict in enumerate(contest.verdicts)}
    numbered = [(order[verdict.place] - rank, verdict) for rank, verdict in enumerate(verdicts)]
    return [[v for _, v in group] for _, group in groupby(numbered, key=lambda pair: pair[0])]


def _link(contest: Contest) -> str:
    experiment = contest.chart.experiment
    return f'<a href="#{escape(experiment.name)}">{escape(experiment.title)}</a>'


def _strips(title: str, contests: List[Contest], is_open: bool = False) -> str:
    if not contests:
        return ""
    rows = "\n".join(_row(contest) for contest in contests)
    return (
        f'<details class="strips"{" open" if is_open else ""}><summary>{escape(title)}</summary>\n'
        '<table><thead><tr><th scope="col">Experiment</th><th scope="col">Winner, from left to right '
        'along the x axis</th><th scope="col">Ahead by</th></tr></thead>\n'
        f"<tbody>{rows}</tbody></table></details>"
    )


def _row(contest: Contest) -> str:
    chart = contest.chart
    about = [contest.condition] if contest.condition else []
    if len(chart.experiment.metrics) > 1:
        about.append(chart.metric.label.split(" [")[0])
    small = f"<small>{escape(', '.join(about))}</small>" if about else ""
    clear = [verdict.factor for verdict in contest.verdicts if not verdict.close]
    ahead = times(min(clear), max(clear)) if clear else "even"
    return (
        f'<tr><th scope="row">{_link(contest)}{small}</th>'
        f'<td><span class="strip">{_segments(contest)}</span></td><td>{ahead}</td></tr>'
    )


def _segments(contest: Contest) -> str:
    def key(verdict: Verdict) -> tuple:
        return winner_name(contest, verdict), verdict.close

    if contest.chart.kind == "bars":  # categories have no order: one segment each
        groups = [(key(verdict), [verdict]) for verdict in contest.verdicts]
    else:
        groups = [(name, list(group)) for name, group in groupby(contest.verdicts, key=key)]
    return "".join(_segment(contest, name, close, group) for (name, close), group in groups)


def _segment(contest: Contest, name: str, close: bool, verdicts: List[Verdict]) -> str:
    chart, first, last = contest.chart, verdicts[0], verdicts[-1]
    if chart.kind == "bars":
        where = chart.short_category[first.place]
    else:
        low, high = x_text(first.place, chart.x_form), x_text(last.place, chart.x_form)
        where = low if low == high else f"{low} … {high}"
    factors = [verdict.factor for verdict in verdicts]
    told = f"{times(min(factors), max(factors))} ahead of {listed(_seconds(verdicts))}"
    if close:
        told = f"too close to call: {listed(_seconds(verdicts))} within {times(max(factors), max(factors))}"
    colour = colours.css_name(first.winner.family, 0)
    return (
        f'<span class="segment{" close" if close else ""}" style="--c: var(--{colour}); '
        f'flex-grow: {len(verdicts)}" title="{escape(f"{where}: {name}, {told}")}">'
        f"<b>{escape(name)}</b><i>{escape(where)}</i></span>"
    )


def _seconds(verdicts: List[Verdict]) -> List[str]:
    return list(dict.fromkeys(verdict.second.label for verdict in verdicts))
