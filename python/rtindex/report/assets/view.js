// What a panel shows: the chosen machine and the paper's GPU, less what the reader hid.

const data = JSON.parse(document.getElementById("data").textContent);
const own = data.machines.filter((machine) => !machine.paper);
const published = data.machines.filter((machine) => machine.paper);
const state = {
  machine: own.length ? String(own[0].id) : "none",
  paper: published.length ? String(published[0].id) : "none",
};
const choices = new Map();  // panel -> what was chosen there; kept while machines are switched

function isChosen(series) {
  if (series.paper) return String(series.machine) === state.paper;
  return state.machine === "all" || String(series.machine) === state.machine;
}

// Names and marks for this view: side by side, machines need names too.
function named(series) {
  const machine = data.machines[series.machine];
  if (series.paper)
    return {...series, name: `paper: ${series.label}`, key: `paper|${series.label}`};
  if (state.machine !== "all" || own.length < 2)
    return {...series, name: series.label, key: `own|${series.label}`};
  const name = `${series.label} · ${machine.name}`;
  return {...series, name, key: `own|${name}`, marker: series.marker + machine.id};
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
    choices.set(panel, {hidden: new Set(), isPerLookup: Boolean(chart.perLookup?.first)});
  }
  return choices.get(panel);
}

function viewOf(panel, redraw) {
  const chart = data.charts[panel.dataset.experiment][Number(panel.dataset.chart)];
  const chosen = choicesOf(panel, chart);
  const series = chart.series.filter(isChosen).map(named);
  const view = {
    chart,
    series,
    hidden: chosen.hidden,
    figure: panel.querySelector("figure"),
    tip: make("div", {class: "tip", role: "status", hidden: true}),
    toggle: (key) => {
      hideOrShow(chosen.hidden, key);
      keepFocus(panel, redraw);
    },
  };
  if (chart.perLookup) {
    view.switchUnit = () => {
      chosen.isPerLookup = !chosen.isPerLookup;
      keepFocus(panel, redraw);
    };
  }
  if (chosen.isPerLookup) {
    const label = `${unitOf(chart.label).name}, per lookup [ns]`;
    view.chart = {...chart, label, isPerLookup: true};
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
  const {series} = document.activeElement?.dataset ?? {};
  const wasUnit = document.activeElement?.classList.contains("unit");
  redraw();
  const buttons = [...panel.querySelectorAll(".entry, .unit")];
  buttons
      .find(
          (button) =>
              (wasUnit ? button.classList.contains("unit") : button.dataset.series === series))
      ?.focus();
}
