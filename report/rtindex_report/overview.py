"""The overview: which index wins where, as text and as one strip per contest."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from . import colours, strips
from .machines import Machine
from .winners import Contest, Verdict
from .words import count, escape, listed, times, x_text

MOST_CASES = 3  # of a bar chart that are named
MOST_PLACES = 8  # in a list of wins; the strips below show all


def of_machine(machine: Machine, contests: list[Contest]) -> str:
    between = [contest for contest in contests if contest.between_indexes]
    main = [contest for contest in between if _is_main(contest)]
    other = [contest for contest in between if not _is_main(contest)]
    settings = [contest for contest in contests if not contest.between_indexes]
    parts = [
        f'<section class="machine" data-machine="{machine.id}">',
        f"<h3>{escape(machine.name)}</h3>",
        f'<p class="facts">{escape(machine.details())}</p>',
        _rt_note(machine),
        _circumstances(contests),
        _sentences(main or between),
        _wins(main or between),
        strips.table("Who wins where", main, is_open=True),
        strips.table("Who wins at building, memory and the rest", other),
        strips.table("Which setting of one index wins", settings),
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


def _circumstances(contests: list[Contest]) -> str:
    """Notes that limit what the figures show."""
    records = [
        record
        for contest in contests
        for series in contest.chart.series
        for record in series.records
        if series.machine is contest.machine
    ]
    notes = [
        f"Noted with the records: {note}."
        for note in sorted({record.note for record in records if record.note})
    ]
    scales = {record.scale for record in records}
    if "smoke" in scales:
        what = "Measured" if scales == {"smoke"} else "Some of this was measured"
        notes.append(
            f"{what} at smoke scale, which shows that everything runs, not which index is fast."
        )
    return f'<p class="note">{escape(" ".join(notes))}</p>' if notes else ""


def _sentences(contests: list[Contest]) -> str:
    verdicts = [(contest, verdict) for contest in contests for verdict in contest.verdicts]
    if not verdicts:
        return '<p class="lead">No measurement here compares two indexes.</p>'
    clear = [(contest, verdict) for contest, verdict in verdicts if not verdict.close]
    tally = Counter(contest.name_of(verdict) for contest, verdict in clear)
    if not tally:
        return '<p class="lead">At every point the first two are too close to call.</p>'
    best, wins = tally.most_common(1)[0]
    factors = sorted(v.factor for contest, v in clear if contest.name_of(v) == best)
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


def _wins(contests: list[Contest]) -> str:
    """One line per index: the experiments that it wins throughout, and at some points."""
    places: dict[str, dict[str, list]] = {}  # index -> experiment -> where
    conditions = Counter(strips.link(contest) for contest in contests)
    family: dict[str, str] = {}
    won: Counter = Counter()
    for contest in contests:
        for name, verdicts in _by_winner(contest).items():
            family[name] = verdicts[0].winner.family
            won[name] += len(verdicts)
            found = places.setdefault(name, {}).setdefault(strips.link(contest), [])
            found.append(_where(contest, verdicts))
    if len(places) < 2:
        return ""
    items = []
    for name in sorted(places, key=lambda name: -won[name]):
        where = _experiments(places[name], conditions)
        items.append(
            f'<li style="--c: var(--{colours.css_name(family[name], 0)})">'
            f"<strong>{escape(name)}</strong> wins {where}.</li>"
        )
    return '<ul class="wins">' + "\n".join(items) + "</ul>"


def _experiments(places: dict[str, list], conditions: Counter) -> str:
    everywhere, partly = [], []
    for title, found in places.items():
        if len(found) == conditions[title] and not any(found):
            everywhere.append(title)
        elif len(set(found)) == 1 and len(found) == conditions[title]:
            partly.append(f"{title} ({found[0]})")
        else:
            partly.append(title)
    parts = []
    if everywhere:
        parts.append(f"throughout {listed(_shortened(everywhere))}")
    if partly:
        parts.append(f"at some points of {listed(_shortened(partly))}")
    return "; ".join(parts)


def _shortened(titles: list[str]) -> list[str]:
    if len(titles) <= MOST_PLACES + 1:
        return titles
    return titles[:MOST_PLACES] + [f"{len(titles) - MOST_PLACES} more experiments"]


def _by_winner(contest: Contest) -> dict[str, list[Verdict]]:
    found: dict[str, list[Verdict]] = {}
    for verdict in contest.verdicts:
        if not verdict.close:
            found.setdefault(contest.name_of(verdict), []).append(verdict)
    return found


def _where(contest: Contest, verdicts: list[Verdict]) -> str:
    """The places where it wins; empty if it wins everywhere."""
    if len(verdicts) == len(contest.verdicts):
        return ""
    if contest.chart.kind == "bars":
        if len(verdicts) > MOST_CASES:
            return f"{len(verdicts)} of {len(contest.verdicts)} cases"
        short = contest.chart.short_category
        return escape("; ".join(short[verdict.place] for verdict in verdicts))
    spans = []
    for span in _neighbours(contest, verdicts):
        low, high = (x_text(end.place, contest.chart.x_form) for end in (span[0], span[-1]))
        spans.append(low if low == high else f"{low} to {high}")
    return listed(spans)


def _neighbours(contest: Contest, verdicts: list[Verdict]) -> list[list[Verdict]]:
    """Groups of verdicts that are adjacent in the contest."""
    order = {verdict.place: position for position, verdict in enumerate(contest.verdicts)}
    numbered = [(order[verdict.place] - rank, verdict) for rank, verdict in enumerate(verdicts)]
    return [[v for _, v in group] for _, group in groupby(numbered, key=lambda pair: pair[0])]
