// Shows one page, and draws its panels, again when a choice or the width changes.

function captionOf({chart, switches}) {
  const better = {true: "lower is better", false: "higher is better"}[chart.lower];
  const parts = [make("b", {}, chart.label)];
  if (better) parts.push(make("span", {class: "better"}, better));
  if (chart.common) parts.push(make("span", {}, chart.common));
  const buttons = switches.map(([text, flip], place) => {
    const button = make(
        "button", {type: "button", class: "switch-to", "data-button": `switch ${place}`}, text);
    button.addEventListener("click", flip);
    return button;
  });
  return make("figcaption", {}, ...parts, make("span", {class: "switches"}, ...buttons));
}

// Without measurements on the chosen machine: buttons for the machines that have them.
function elsewhere({chart}) {
  const ids = new Set(chart.series.filter((one) => !one.paper).map((one) => one.machine));
  const buttons = [...ids].map((id) => {
    const button = make("button", {type: "button", class: "switch-to"}, data.machines[id].name);
    button.addEventListener(
        "click", () => document.querySelector(`input[name=machine][value="${id}"]`).click());
    return button;
  });
  const text = `Not measured on this machine${buttons.length ? ", but on" : "."} `;
  return make("p", {class: "empty"}, text, ...buttons);
}

// Names the machine where the chosen one has no measurements of an experiment.
function insteadOf({instead}) {
  if (!instead) return null;
  const chosen = data.machines[state.machine].name;
  return make("p", {class: "instead"}, `Not measured on ${chosen}. Shown: ${instead}.`);
}

function draw(panel) {
  const view = viewOf(panel, () => draw(panel));
  const article = panel.closest("article");
  const style = getComputedStyle(article);
  const room = article.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  panel.drawnFor = article.clientWidth;
  if (view.series.length === 0) {
    view.figure.replaceChildren(elsewhere(view));
  } else {
    const plot =
        view.chart.kind === "lines" ? drawLines(view, Math.max(280, room)) : drawBars(view);
    const stage = make("div", {class: "stage"}, plot, view.tip);
    const parts = [insteadOf(view), captionOf(view), stage, drawLegend(view), drawGaps(view)];
    view.figure.replaceChildren(...parts.filter((part) => part));
  }
  const numbers = panel.querySelector(".numbers");
  numbers.hidden = view.series.length === 0;
  numbers.querySelector(".scroll").replaceChildren(drawTable(view));
}

const pages = [...document.querySelectorAll(".page")];
const panels = [...document.querySelectorAll(".panel")];

// Panels of hidden pages have no width; they are drawn when their page is shown.
function drawShown() {
  const width = (panel) => panel.closest("article").clientWidth;
  panels.filter((panel) => width(panel) > 0 && panel.drawnFor !== width(panel)).forEach(draw);
}

function showChoice() {
  for (const block of document.querySelectorAll("[data-machine]")) {
    const machine = data.machines[Number(block.dataset.machine)];
    const panel = block.closest("article")?.querySelector(".panel");
    const wanted = machine.paper ? [state.paper] : [state.machine];
    if (panel && !machine.paper) wanted.push(machineOf(panel.dataset.experiment));
    const isShown = wanted.includes(String(machine.id)) || wanted.includes("all");
    block.hidden = !isShown;
  }
  document.body.classList.toggle("without-paper", state.paper === "none");
  for (const panel of panels) panel.drawnFor = null;
  drawShown();
}

// "#/strings" names a page and "#keys" an experiment, whose page is shown; else the overview is.
function showPage() {
  const name = decodeURIComponent(location.hash.slice(1));
  const experiment = document.getElementById(name);
  const page = document.getElementById(name.replace("/", "page-"));
  const shown = (experiment ?? page)?.closest(".page") ?? pages[0];
  for (const page of pages) page.toggleAttribute("data-off", page !== shown);
  for (const link of document.querySelectorAll(".menu a")) {
    const isShown = link.hash === shown.id.replace("page-", "#/");
    isShown ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  drawShown();
  if (experiment)
    experiment.scrollIntoView();
  else
    scrollTo(0, 0);
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
for (const choice of ["paper", "runs"]) {
  document.getElementById(choice)?.addEventListener("change", (event) => {
    state[choice] = event.target.value;
    showChoice();
  });
}
for (const button of document.querySelectorAll(".command .copy")) {
  button.addEventListener(
      "click", () => copyText(button.previousElementSibling.textContent, button));
}
// Printing shows every page and every strip of winners.
const folded = [...document.querySelectorAll(".strips:not([open])")];
addEventListener("beforeprint", () => {
  for (const part of folded) part.open = true;
  for (const page of pages) page.removeAttribute("data-off");
  drawShown();
});
addEventListener("afterprint", () => {
  for (const part of folded) part.open = false;
  showPage();
});
addEventListener("hashchange", showPage);
new ResizeObserver(drawShown).observe(document.body);
showChoice();
showPage();
