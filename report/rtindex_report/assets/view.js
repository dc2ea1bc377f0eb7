// A panel shows the chosen machine and the paper's GPU, without the series that are hidden.

const data = JSON.parse(document.getElementById("data").textContent);
const own = data.machines.filter((machine) => !machine.paper);
const published = data.machines.filter((machine) => machine.paper);
const state = {
  machine: own.length ? String(data.first) : "none",
  paper: published.length ? String(published[0].id) : "none",
  runs: "median",
};
const choices = new Map();  // panel -> what was chosen there; kept while machines are switched

// The machine whose measurements an experiment shows: the chosen one, or else that with most
// series.
function machineOf(experiment) {
  const series = new Map();
  for (const one of data.charts[experiment].flatMap((chart) => chart.series))
    if (!one.paper) series.set(String(one.machine), (series.get(String(one.machine)) ?? 0) + 1);
  if (state.machine === "all" || series.size === 0 || series.has(state.machine))
    return state.machine;
  return [...series].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

function isChosen(series, machine) {
  if (series.paper) return String(series.machine) === state.paper;
  return machine === "all" || String(series.machine) === machine;
}

// Names and markers of this view; side by side, names include the machine.
function named(series) {
  const machine = data.machines[series.machine];
  if (series.paper)
    return {...series, name: `paper: ${series.label}`, key: `paper|${series.label}`};
  if (state.machine !== "all" || own.length < 2)
    return {...series, name: series.label, key: `own|${series.label}`};
  const name = `${series.label} · ${machine.name}`;
  return {...series, name, key: `own|${name}`, marker: series.marker + machine.id};
}

// Experiments that compare machines show all of them, each with its own categories.
function acrossMachines(chart) {
  const merged = new Map();
  for (const series of chart.series.filter((one) => !one.paper || state.paper !== "none")) {
    const label = series.paper ? `paper: ${series.label}` : series.label;
    const {name} = data.machines[series.machine];
    const points = series.points.map((point) => ({...point, x: `${name}, ${point.x}`}));
    const known = merged.get(label);
    if (known) {
      known.points.push(...points);
    } else {
      merged.set(label, {...series, name: label, key: label, points});
    }
  }
  return [...merged.values()];
}

// An outlier moves the mean, not the median. Published figures are means.
function middle(series) {
  const points = series.points.map((point) => ({...point, value: point.median ?? point.value}));
  return {...series, points};
}

// Batches of different sizes are compared by the time of one lookup.
function perLookup(series) {
  const one = (value, point) => (value === undefined ? undefined : (value * 1e6) / point.lookups);
  const points = series.points.map((point) => ({
                                     ...point,
                                     value: one(point.value, point),
                                     low: one(point.low, point),
                                     high: one(point.high, point),
                                   }));
  return {...series, points};
}

function choicesOf(panel, chart) {
  if (!choices.has(panel)) {
    const isPerLookup = Boolean(chart.perLookup?.first);
    choices.set(panel, {hidden: new Set(), isLog: chart.log, isPerLookup});
  }
  return choices.get(panel);
}

function viewOf(panel, redraw) {
  const chart = data.charts[panel.dataset.experiment][Number(panel.dataset.chart)];
  const chosen = choicesOf(panel, chart);
  const across = chart.across && chart.kind === "bars";
  const machine = machineOf(panel.dataset.experiment);
  let series = across ? acrossMachines(chart) :
                        chart.series.filter((one) => isChosen(one, machine)).map(named);
  if (state.runs === "median") series = series.map(middle);
  const view = {
    chart: {...chart, log: chosen.isLog},
    series,
    instead: !across && machine !== state.machine ? data.machines[machine].name : null,
    hidden: chosen.hidden,
    figure: panel.querySelector("figure"),
    tip: make("div", {class: "tip", role: "status", hidden: true}),
    toggle: (key) => {
      hideOrShow(chosen.hidden, key);
      keepFocus(panel, redraw);
    },
  };
  const flip = (choice) => () => {
    chosen[choice] = !chosen[choice];
    keepFocus(panel, redraw);
  };
  view.switches = [[chosen.isLog ? "linear axis" : "logarithmic axis", flip("isLog")]];
  if (chart.perLookup) {
    view.switches.push([chosen.isPerLookup ? "whole batch" : "per lookup", flip("isPerLookup")]);
  }
  if (chosen.isPerLookup) {
    const label = `${unitOf(chart.label).name}, per lookup [ns]`;
    view.chart = {...view.chart, label};
    view.series = series.map(perLookup);
  }
  return view;
}

function hideOrShow(hidden, key) {
  if (key === null) {
    hidden.clear();
  } else if (!hidden.delete(key)) {
    hidden.add(key);
  }
}

// A redrawn panel has new buttons; the one that was pressed keeps the focus.
function keepFocus(panel, redraw) {
  const pressed = document.activeElement?.dataset.button;
  redraw();
  const buttons = [...panel.querySelectorAll("[data-button]")];
  buttons.find((button) => button.dataset.button === pressed)?.focus();
}
