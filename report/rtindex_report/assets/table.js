// The values of a chart as a table, and as CSV.

function placesOf(view) {
  const places =
      [...new Set(view.series.flatMap((series) => series.points.map((point) => point.x)))];
  const {kind, places: order} = view.chart;
  return places.sort((a, b) => (kind === "lines" ? a - b : order.indexOf(a) - order.indexOf(b)));
}

function pointAt(series, place) { return series.points.find((point) => point.x === place); }

function drawTable(view) {
  const {chart} = view;
  const {unit} = unitOf(chart.label);
  const places = placesOf(view);
  const best = new Set(
      places.map(
          (place) =>
              bestOf(chart, view.series.map((series) => ({series, point: pointAt(series, place)}))),
          ),
  );
  const cell = (series, place) => drawCell(pointAt(series, place), unit, best);
  const table = make("table", {}, make("caption", {}, chart.label));
  if (chart.kind === "lines") {
    table.append(headOf(chart.x.label, view.series.map((series) => series.name)));
    const rows = places.map(
        (place) =>
            rowOf(formatX(place, chart.x.form), view.series.map((series) => cell(series, place))),
    );
    table.append(make("tbody", {}, ...rows));
  } else {
    table.append(headOf("index", places));
    const rows =
        view.series.map((series) => rowOf(series.name, places.map((place) => cell(series, place))));
    table.append(make("tbody", {}, ...rows));
  }
  return make("div", {}, table, copyButton("Copy as CSV", () => csvOf(view, places)));
}

function headOf(first, names) {
  const cells = [first, ...names].map((name) => make("th", {scope: "col"}, name));
  return make("thead", {}, make("tr", {}, ...cells));
}

function rowOf(name, cells) { return make("tr", {}, make("th", {scope: "row"}, name), ...cells); }

function drawCell(point, unit, best) {
  if (!point) return make("td", {class: "none"}, "–");
  if (point.status) return make("td", {class: "none", title: point.reason}, point.status);
  const text = isBytes(unit) ? formatBytes(point.value) : formatNumber(point.value, 4);
  return make("td", {class: best.has(point) ? "best" : null, title: spreadText(point, unit)}, text);
}

function csvOf(view, places) {
  const quote = (text) =>
      (/[",\n]/.test(text) ? `"${String(text).replace(/"/g, "\"\"")}"` : String(text));
  const head = [view.chart.x.label || "category", ...view.series.map((series) => series.name)];
  const rows = places.map(
      (place) =>
          [place,
           ...view.series.map((series) => {
             const point = pointAt(series, place);
             return point ? (point.value ?? point.status) : "";
           }),
  ]);
  return [head, ...rows].map((row) => row.map(quote).join(",")).join("\n") + "\n";
}

function copyButton(label, text) {
  const button = make("button", {type: "button", class: "copy"}, label);
  button.addEventListener("click", () => copyText(text(), button));
  return button;
}

async function copyText(text, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copying failed";
  }
  setTimeout(() => (button.textContent = before), 1500);
}
