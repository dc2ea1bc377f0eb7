// A line chart in SVG, with a cross-hair that reads values to mouse, finger and keyboard.

const LABEL_ROOM = 640;  // from this width on, lines are named at their ends
const MOST_LABELS = 14;
const MOST_ROOM = 0.34;  // of the width, for these names; longer ones are in the legend alone

function drawLines(view, width) {
  const {chart} = view;
  const visible = view.series.filter((series) => !view.hidden.has(series.key));
  const drawn =
      visible.map((series) => ({...series, points: series.points.filter((p) => !p.status)}));
  const points = drawn.flatMap((series) => series.points);
  const {unit} = unitOf(chart.label);
  const height = width < 520 ? 290 : 390;
  const svg = makeSvg("svg", {
    class: "plot",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    tabindex: 0,
    "aria-label": describe(view, drawn),
  });
  if (points.length === 0) {
    svg.append(makeSvg("text", {class: "empty", x: width / 2, y: height / 2}, "Nothing to draw"));
    return svg;
  }
  const labels = labelWidth(drawn);
  const named = width >= LABEL_ROOM && drawn.length <= MOST_LABELS && labels <= width * MOST_ROOM;
  const frame = frameOf(chart, drawn, points, {width, height, named, unit});
  svg.append(drawAxes(chart, frame, unit));
  for (const series of drawn) svg.append(drawSeries(series, view, frame));
  if (named) svg.append(drawEndLabels(drawn, frame));
  addCrossHair(svg, view, drawn, frame, unit);
  return svg;
}

function frameOf(chart, drawn, points, {width, height, named, unit}) {
  const right = named ? labelWidth(drawn) : 16;
  const lines = wrapped(chart.x.label, (width - right - 60) / 6.8);
  const [top, bottom] = [12, height - 30 - 16 * lines.length];
  const values = points.map((point) => point.value);
  const y = valueAxis(values, chart.log, [bottom, top], unit);
  const widest = Math.max(...y.ticks.map((tick) => tickText(tick, unit).length));
  const box = {left: 18 + widest * 7.2, right: width - right, top, bottom};
  const places = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
  const x = placeAxis(places, chart.x, [box.left + 8, box.right - 8]);
  return {box, places, x, y, lines};
}

function labelWidth(drawn) {
  return 26 + 7 * Math.max(...drawn.map((series) => series.name.length));
}

// The words of a label, as lines of at most some letters.
function wrapped(text, letters) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length > letters && lines.at(-1))
      lines.push(word);
    else
      lines[lines.length - 1] = longer;
  }
  return lines;
}

function tickText(tick, unit) { return isBytes(unit) ? formatBytes(tick) : formatNumber(tick); }

function describe(view, drawn) {
  const {name} = unitOf(view.chart.label);
  const what = drawn.map((series) => series.name).join("; ");
  return `${name} by ${view.chart.x.label}. ${drawn.length} series: ${
      what}. Arrow keys read the values.`;
}

function drawAxes(chart, {box, x, y, lines}, unit) {
  const axes = makeSvg("g", {class: "axes", "aria-hidden": "true"});
  for (const tick of y.ticks) {
    const at = y.scale(tick).toFixed(1);
    axes.append(
        makeSvg("line", {class: "grid", x1: box.left, x2: box.right, y1: at, y2: at}),
        makeSvg(
            "text", {class: "tick y", x: box.left - 8, y: at, dy: "0.32em"}, tickText(tick, unit)),
    );
  }
  for (const tick of x.ticks) {
    const at = x.scale(tick).toFixed(1);
    axes.append(
        makeSvg("line", {class: "notch", x1: at, x2: at, y1: box.bottom, y2: box.bottom + 5}),
        makeSvg("text", {class: "tick x", x: at, y: box.bottom + 19}, formatX(tick, chart.x.form)),
    );
  }
  axes.append(
      makeSvg("line", {class: "base", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom}),
      ...lines.map(
          (line, place) => makeSvg(
              "text",
              {class: "axis", x: (box.left + box.right) / 2, y: box.bottom + 39 + 16 * place},
              line)),
  );
  return axes;
}

// A point that timed out or is unsupported leaves a gap.
function drawSeries(series, view, {x, y}) {
  const all = view.series.find((one) => one.key === series.key).points;
  let path = "";
  let pen = "M";
  const group = makeSvg("g", {class: "series", style: colourOf(series), "data-mark": series.key});
  const markers = [];
  for (const point of all) {
    if (point.status) {
      pen = "M";
      continue;
    }
    const [px, py] = [x.scale(point.x), y.scale(point.value)];
    path += `${pen}${px.toFixed(1)},${py.toFixed(1)}`;
    pen = "L";
    markers.push(markerOf(series, px, py));
  }
  group.append(makeSvg("path", {class: series.paper ? "line paper" : "line", d: path}), ...markers);
  return group;
}

function drawEndLabels(drawn, {box, x, y}) {
  const labels =
      drawn.filter((series) => series.points.length > 0)
          .map((series) => {
            const last = series.points[series.points.length - 1];
            return {series, from: [x.scale(last.x), y.scale(last.value)], at: y.scale(last.value)};
          })
          .sort((a, b) => a.at - b.at);
  spread(labels, 15, box.top + 4, box.bottom);
  const group = makeSvg("g", {class: "ends", "aria-hidden": "true"});
  for (const {series, from, at} of labels) {
    group.append(
        makeSvg(
            "g",
            {style: colourOf(series), "data-mark": series.key},
            makeSvg(
                "path", {class: "leader", d: `M${from[0] + 6},${from[1]}L${box.right + 8},${at}`}),
            makeSvg("text", {class: "end", x: box.right + 12, y: at, dy: "0.32em"}, series.name),
            ),
    );
  }
  return group;
}

// Moves labels apart, and back up where they would leave the chart.
function spread(labels, gap, top, bottom) {
  let limit = top;
  for (const label of labels) {
    label.at = Math.max(label.at, limit);
    limit = label.at + gap;
  }
  limit = bottom;
  for (const label of [...labels].reverse()) {
    label.at = Math.min(label.at, limit);
    limit = label.at - gap;
  }
}
