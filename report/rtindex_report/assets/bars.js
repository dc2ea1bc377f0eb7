// Values per category: bars from zero, or dots on a logarithmic scale, with their values written
// out.

function drawBars(view) {
  const {chart} = view;
  const visible = view.series.filter((series) => !view.hidden.has(series.key));
  const values =
      visible.flatMap((series) => series.points.map((p) => p.value)).filter((v) => v !== undefined);
  const plot =
      make("div", {class: "bars plot", role: "group", "aria-label": unitOf(chart.label).name});
  if (values.length === 0) {
    plot.append(make("p", {class: "empty"}, "Nothing to draw"));
    return plot;
  }
  const log = chart.log && Math.min(...values) > 0;
  const share = log ? logScale([Math.min(...values) / 1.5, Math.max(...values)], [0, 100]) :
                      linearScale([0, Math.max(...values)], [0, 100]);
  for (const category of placesOf(view))
    plot.append(drawCategory(chart, category, visible, share, log));
  return plot;
}

function drawCategory(chart, category, visible, share, log) {
  const {unit} = unitOf(chart.label);
  const rows =
      visible
          .map((series) => ({series, point: series.points.find((point) => point.x === category)}))
          .filter(({point}) => point);
  const best = bestOf(chart, rows);
  const group = make("section", {class: "category"}, make("h4", {}, category));
  for (const {series, point} of rows)
    group.append(drawBar(series, point, unit, share, log, point === best));
  return group;
}

function drawBar(series, point, unit, share, log, isBest) {
  const bar = make("div", {
    class: `bar${series.paper ? " paper" : ""}${log ? " dot" : ""}${isBest ? " best" : ""}`,
    style: colourOf(series),
    "data-mark": series.key,
    title: point.reason || spreadText(point, unit),
  });
  const text = point.status || formatValue(point.value, unit);
  const track = make("span", {class: "track", "aria-hidden": "true"});
  if (!point.status) {
    const length = Math.max(0.3, share(point.value)).toFixed(2);
    track.append(make("span", {class: "fill", style: `width: ${length}%`}));
  }
  bar.append(make("span", {class: "who"}, series.name), track, make("b", {}, text));
  return bar;
}

// The best own measurement of several indexes, where the metric says what is better.
function bestOf(chart, rows) {
  const own = rows.filter(({series, point}) => !series.paper && point && !point.status);
  const indexes = new Set(own.map(({series}) => series.index));
  if (typeof chart.lower !== "boolean" || indexes.size < 2) return null;
  const sign = chart.lower ? 1 : -1;
  return own.reduce((best, row) => (sign * row.point.value < sign * best.point.value ? row : best))
      .point;
}
