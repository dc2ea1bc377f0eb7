"""One strip per contest: the winner, from left to right along the x axis."""

from __future__ import annotations

from itertools import groupby

from . import colours
from .winners import Contest, Verdict
from .words import escape, listed, times, x_text

MOST_CASES = 6  # of a bar chart with a segment each; beyond that, adjacent ones are joined


def table(title: str, contests: list[Contest], is_open: bool = False) -> str:
    if not contests:
        return ""
    rows = "\n".join(_row(contest) for contest in contests)
    return (
        f'<details class="strips"{" open" if is_open else ""}><summary>{escape(title)}</summary>\n'
        f"{_key(contests)}"
        '<table><thead><tr><th scope="col">Experiment</th>'
        '<th scope="col">Winner, from left to right along the x axis</th>'
        '<th scope="col">Ahead by</th></tr></thead>\n'
        f"<tbody>{rows}</tbody></table></details>"
    )


def _key(contests: list[Contest]) -> str:
    """What hatching means, where something is hatched."""
    if not any(verdict.close for contest in contests for verdict in contest.verdicts):
        return ""
    return (
        '<p class="key"><span class="segment close" aria-hidden="true"></span> Hatched: too close '
        "to call. The runs of the first two overlap or their medians are within 1%; no win is "
        "counted.</p>"
    )


def _row(contest: Contest) -> str:
    chart = contest.chart
    about = [contest.condition] if contest.condition else []
    if len(chart.experiment.metrics) > 1:
        about.append(chart.metric.plain)
    small = f"<small>{escape(', '.join(about))}</small>" if about else ""
    clear = [verdict.factor for verdict in contest.verdicts if not verdict.close]
    ahead = f'<td class="ahead">{times(min(clear), max(clear))}</td>' if clear else "<td>even</td>"
    return (
        f'<tr><th scope="row">{link(contest)}{small}</th>'
        f'<td><span class="strip">{_segments(contest)}</span></td>{ahead}</tr>'
    )


def _segments(contest: Contest) -> str:
    def key(verdict: Verdict) -> tuple:
        return contest.name_of(verdict), verdict.close

    if contest.chart.kind == "bars" and len(contest.verdicts) <= MOST_CASES:
        groups = [(key(verdict), [verdict]) for verdict in contest.verdicts]
    else:
        groups = [(name, list(group)) for name, group in groupby(contest.verdicts, key=key)]
    return "".join(_segment(contest, name, close, group) for (name, close), group in groups)


def _segment(contest: Contest, name: str, close: bool, verdicts: list[Verdict]) -> str:
    chart, first, last = contest.chart, verdicts[0], verdicts[-1]
    if chart.kind == "bars" and len(verdicts) > 1:
        where = f"{len(verdicts)} cases"
    elif chart.kind == "bars":
        where = chart.short_category[first.place]
    else:
        low, high = x_text(first.place, chart.x_form), x_text(last.place, chart.x_form)
        where = low if low == high else f"{low} … {high}"
    factors = [verdict.factor for verdict in verdicts]
    second = listed(list(dict.fromkeys(verdict.second.label for verdict in verdicts)))
    margin = f"{times(min(factors), max(factors))} ahead of {second}"
    if close:
        margin = f"too close to call, {second} within {times(max(factors), max(factors))}"
    colour = colours.css_name(first.winner.family, 0)
    return (
        f'<span class="segment{" close" if close else ""}" style="--c: var(--{colour}); '
        f'flex-grow: {len(verdicts)}" title="{escape(f"{where}: {name}, {margin}")}">'
        f"<b>{escape(name)}</b><i>{escape(where)}</i></span>"
    )


def link(contest: Contest) -> str:
    experiment = contest.chart.experiment
    return f'<a href="#{escape(experiment.name)}">{escape(experiment.title)}</a>'
