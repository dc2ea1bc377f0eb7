// The legend: a button per series; pressing it hides or shows the series.

function sampleOf(series) {
  const sample = makeSvg("svg", {class: "sample", width: 30, height: 14, "aria-hidden": "true"});
  sample.append(
      makeSvg("path", {class: series.paper ? "line paper" : "line", d: "M1,7H29"}),
      markerOf(series, 15, 7),
  );
  return sample;
}

function legendEntry(series, isHidden, toggle, highlight) {
  const button = make(
      "button",
      {
        type: "button",
        class: "entry",
        style: colourOf(series),
        "aria-pressed": isHidden ? "false" : "true",
        "data-button": series.key,
        title: isHidden ? "Show this series" : "Hide this series",
      },
      sampleOf(series),
      make("span", {}, series.name),
  );
  button.addEventListener("click", () => toggle(series.key));
  for (const [event, key] of [
           ["pointerenter", series.key],
           ["focus", series.key],
           ["pointerleave", null],
           ["blur", null],
  ]) {
    button.addEventListener(event, () => highlight(key));
  }
  return button;
}

function drawLegend(view) {
  const legend =
      make("div", {class: "legend", role: "group", "aria-label": "Series: press to hide or show"});
  const highlight = (key) => {
    for (const mark of view.figure.querySelectorAll("[data-mark]")) {
      mark.classList.toggle("faded", key !== null && mark.dataset.mark !== key);
    }
  };
  const add = (series) =>
      legend.append(legendEntry(series, view.hidden.has(series.key), view.toggle, highlight));
  view.series.filter((series) => !series.paper).forEach(add);
  legend.append(make("span", {class: "break"}));
  view.series.filter((series) => series.paper).forEach(add);
  if (view.series.some((series) => view.hidden.has(series.key))) {
    const all = make("button", {type: "button", class: "all"}, "Show all");
    all.addEventListener("click", () => view.toggle(null));
    legend.append(all);
  }
  return legend;
}

// Points without a measurement, one line per series.
function drawGaps(view) {
  const notes = make("ul", {class: "gaps"});
  for (const series of view.series) {
    const byReason = new Map();
    for (const point of series.points.filter((one) => one.status)) {
      const why = point.status + (point.reason ? ": " + point.reason : "");
      byReason.set(why, [...(byReason.get(why) || []), formatX(point.x, view.chart.x.form)]);
    }
    for (const [why, places] of byReason) {
      const where =
          places.length > 4 ? `${places[0]} to ${places[places.length - 1]}` : places.join(", ");
      notes.append(make("li", {}, make("strong", {}, series.name), ` at ${where}: ${why}`));
    }
  }
  return notes.childElementCount ? notes : null;
}
