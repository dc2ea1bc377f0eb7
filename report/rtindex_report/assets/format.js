// Numbers as text, in the same forms as words.py.

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function powerOfTwo(exponent) {
  const digits = String(Math.abs(exponent)).replace(/\d/g, (digit) => SUPERSCRIPTS[digit]);
  return "2" + (exponent < 0 ? "⁻" : "") + digits;
}

// Some significant digits, thousands apart, no trailing zeros: 0.0123, 12.3, 12 300.
function formatNumber(value, digits = 3) {
  if (value === 0) return "0";
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  const fixed = value.toFixed(Math.min(places, 20));
  const text = fixed.includes(".") ? fixed.replace(/\.?0+$/, "") : fixed;
  const [whole, fraction] = text.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return fraction ? grouped + "." + fraction : grouped;
}

function formatBytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return formatNumber(value) + " " + units[unit];
}

// "time of the batch [ms]" is a name and a unit.
function unitOf(label) {
  const match = /^(.*?)\s*\[(.*)\]$/.exec(label);
  return match ? {name: match[1], unit: match[2]} : {name: label, unit: ""};
}

function isBytes(unit) { return unit === "bytes" || unit === "B"; }

function formatValue(value, unit) {
  if (isBytes(unit)) return formatBytes(value);
  return formatNumber(value) + (unit ? " " + unit : "");
}

function formatX(value, form) {
  if (typeof value === "string") return value;
  if (form === "exponent") return powerOfTwo(value);
  if (form === "power") return powerOfTwo(Math.round(Math.log2(value)));
  return formatNumber(value);
}
