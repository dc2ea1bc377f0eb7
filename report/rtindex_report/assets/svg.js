// Elements, and the shapes of markers.

function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function makeSvg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function colourOf(series) { return `--c: var(--${series.colour})`; }

const MARKERS = [
  (r) => `M${- r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${- 2 * r},0Z`,
  (r) => `M${- r * 0.9},${- r * 0.9}H${r * 0.9}V${r * 0.9}H${- r * 0.9}Z`,
  (r) => `M0,${- r * 1.2}L${r * 1.15},${r * 0.9}H${- r * 1.15}Z`,
  (r) => `M0,${- r * 1.3}L${r * 1.3},0L0,${r * 1.3}L${- r * 1.3},0Z`,
  (r) => `M0,${r * 1.2}L${r * 1.15},${- r * 0.9}H${- r * 1.15}Z`,
  (r) => {
    const [a, b] = [r * 0.45, r * 1.25];
    return `M${- a},${- b}H${a}V${- a}H${b}V${a}H${a}V${b}H${- a}V${a}H${- b}V${- a}H${- a}Z`;
  },
];

function markerOf(series, x, y, radius = 4) {
  return makeSvg("path", {
    class: series.paper ? "marker paper" : "marker",
    d: MARKERS[series.marker % MARKERS.length](radius),
    transform: `translate(${x.toFixed(1)},${y.toFixed(1)})`,
  });
}
