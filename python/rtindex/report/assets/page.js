// What is shown: the chosen machine, the paper's GPU, a metric per experiment.

const data = JSON.parse(document.getElementById("data").textContent);
const own = data.machines.filter((machine) => !machine.paper);
const published = data.machines.filter((machine) => machine.paper);
const state = {
  machine: own.length ? String(own[0].id) : "none",
  paper: published.length ? String(published[0].id) : "none",
};
const hiddenSeries = new Map();  // panel -> keys; kept while machines are switched

// The series that the choices let through, named and marked for this view.
function chosenSeries(chart) {
  const sideBySide = state.machine === "all" && own.length > 1;
  return chart.series
      .filter(
          (series) => series.paper ?
              String(series.machine) === state.paper :
              state.machine === "all" || String(series.machine) === state.machine,
          )
      .map((series) => {
        const machine = data.machines[series.machine];
        const apart = series.paper ? `paper: ${series.label}` : series.label;
        if (series.paper || !sideBySide)
          return {...series, name: apart, key: `${series.paper}|${apart}`};
        const name = `${series.label} · ${machine.name}`;
        return {...series, name, key: `false|${name}`, marker: series.marker + machine.id};
      });
}

function viewOf(panel) {
  const chart = data.charts[panel.dataset.experiment][Number(panel.dataset.chart)];
  const hidden = hiddenSeries.get(panel) || new Set();
  hiddenSeries.set(panel, hidden);
  const toggle = (key) => {
    if (key === null)
      hidden.clear();
    else if (!hidden.delete(key))
      hidden.add(key);
    const focused = document.activeElement?.dataset?.series;
    draw(panel);
    const again =
        [...panel.querySelectorAll(".entry")].find((one) => one.dataset.series === focused);
    if (again) again.focus();
  };
  const tip = make("div", {class: "tip", role: "status", hidden: true});
  return {
    chart,
    hidden,
    toggle,
    tip,
    figure: panel.querySelector("figure"),
    series: chosenSeries(chart)
  };
}

function captionOf(chart) {
  const better = {true: "lower is better", false: "higher is better"}[chart.lower];
  const parts = [make("b", {}, chart.label)];
  if (better) parts.push(make("span", {class: "better"}, better));
  if (chart.common) parts.push(make("span", {}, chart.common));
  return make("figcaption", {}, ...parts);
}

function draw(panel) {
  const view = viewOf(panel);
  const article = panel.closest("article");
  const style = getComputedStyle(article);
  const room = article.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  panel.drawnFor = article.clientWidth;
  if (view.series.length === 0) {
    view.figure.replaceChildren(make("p", {class: "empty"}, "Not measured on this machine."));
  } else {
    const plot =
        view.chart.kind === "lines" ? drawLines(view, Math.max(280, room)) : drawBars(view);
    const stage = make("div", {class: "stage"}, plot, view.tip);
    view.figure.replaceChildren(
        ...[captionOf(view.chart), stage, drawLegend(view), drawGaps(view)].filter((part) => part),
    );
  }
  const numbers = panel.querySelector(".numbers");
  numbers.hidden = view.series.length === 0;
  numbers.querySelector(".scroll").replaceChildren(drawTable(view));
}

const panels = [...document.querySelectorAll(".panel")];

function showChoice() {
  for (const block of document.querySelectorAll("[data-machine]")) {
    const machine = data.machines[Number(block.dataset.machine)];
    const wanted = machine.paper ? state.paper : state.machine;
    block.hidden = !(wanted === String(machine.id) || (wanted === "all" && !machine.paper));
  }
  document.body.classList.toggle("without-paper", state.paper === "none");
  panels.forEach(draw);
}

function chooseTab(tab) {
  for (const other of tab.parentElement.children) {
    const isChosen = other === tab;
    other.setAttribute("aria-selected", String(isChosen));
    other.tabIndex = isChosen ? 0 : -1;
    document.getElementById(other.getAttribute("aria-controls"))
        .toggleAttribute("data-off", !isChosen);
  }
}

for (const tab of document.querySelectorAll("[role=tab]")) {
  tab.addEventListener("click", () => chooseTab(tab));
  tab.addEventListener("keydown", (event) => {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    const tabs = [...tab.parentElement.children];
    if (step) {
      const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
      chooseTab(next);
      next.focus();
    }
  });
}
for (const radio of document.querySelectorAll("input[name=machine]")) {
  radio.addEventListener("change", () => {
    state.machine = radio.value;
    showChoice();
  });
}
document.getElementById("paper")?.addEventListener("change", (event) => {
  state.paper = event.target.value;
  showChoice();
});
for (const button of document.querySelectorAll(".command .copy")) {
  button.addEventListener(
      "click", () => copyText(button.previousElementSibling.textContent, button));
}
// Paper shows every strip of winners.
const folded = [...document.querySelectorAll(".strips:not([open])")];
addEventListener("beforeprint", () => folded.forEach((part) => (part.open = true)));
addEventListener("afterprint", () => folded.forEach((part) => (part.open = false)));
new ResizeObserver(() => {
  panels.filter((panel) => panel.drawnFor !== panel.closest("article").clientWidth).forEach(draw);
}).observe(document.body);
showChoice();
