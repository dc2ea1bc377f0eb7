// Reads the values at one place of a line chart: a vertical line and a box with every series.

function addCrossHair(svg, view, drawn, frame, unit) {
  const {box, places, x, y} = frame;
  const line = makeSvg("line", {class: "hair", y1: box.top, y2: box.bottom});
  const dots = makeSvg("g", {class: "dots"});
  svg.append(line, dots);
  let current = -1;

  function show(position) {
    current = Math.max(0, Math.min(places.length - 1, position));
    const place = places[current];
    const at = x.scale(place);
    line.setAttribute("x1", at);
    line.setAttribute("x2", at);
    svg.classList.add("reading");
    const read =
        drawn.map((series) => ({series, point: series.points.find((point) => point.x === place)}))
            .filter(({point}) => point);
    dots.replaceChildren(
        ...read.map(({series, point}) => {
          const dot = markerOf(series, at, y.scale(point.value), 6);
          dot.setAttribute("style", colourOf(series));
          return dot;
        }),
    );
    const heading = `${view.chart.x.label}: ${formatX(place, view.chart.x.form)}`;
    showTip(view, heading, read, unit, at / svg.viewBox.baseVal.width);
  }

  function hide() {
    current = -1;
    svg.classList.remove("reading");
    dots.replaceChildren();
    hideTip(view);
  }

  function nearest(event) {
    const bounds = svg.getBoundingClientRect();
    const at = ((event.clientX - bounds.left) / bounds.width) * svg.viewBox.baseVal.width;
    const distances = places.map((place) => Math.abs(x.scale(place) - at));
    return distances.indexOf(Math.min(...distances));
  }

  svg.addEventListener("pointermove", (event) => show(nearest(event)));
  svg.addEventListener("pointerdown", (event) => show(nearest(event)));
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("blur", hide);
  svg.addEventListener("keydown", (event) => {
    const target = {
      ArrowLeft: current < 0 ? places.length - 1 : current - 1,
      ArrowRight: current + 1,
      Home: 0,
      End: places.length - 1,
    }[event.key];
    if (target !== undefined) {
      show(target);
      event.preventDefault();
    } else if (event.key === "Escape") {
      hide();
    }
  });
}

function spreadText(point, unit) {
  if (point.low === undefined) return "";
  const low = isBytes(unit) ? formatBytes(point.low) : formatNumber(point.low);
  return `${low}–${formatValue(point.high, unit)} in ${point.runs} runs`;
}

// The largest value on top, as in the chart.
function showTip(view, heading, read, unit, share) {
  const rows = [...read]
                   .sort((a, b) => b.point.value - a.point.value)
                   .map(
                       ({series, point}) => make(
                           "li",
                           {style: colourOf(series)},
                           sampleOf(series),
                           make("span", {class: "who"}, series.name),
                           make("b", {}, formatValue(point.value, unit)),
                           make("small", {}, read.length <= 4 ? spreadText(point, unit) : ""),
                           ),
                   );
  view.tip.replaceChildren(make("p", {}, heading), make("ul", {}, ...rows));
  view.tip.hidden = false;
  view.tip.classList.toggle("leftwards", share > 0.5);
  view.tip.style.left = `${(share * 100).toFixed(2)}%`;
}

function hideTip(view) { view.tip.hidden = true; }
