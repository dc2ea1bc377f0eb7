// Maps values to pixels, and chooses the ticks of an axis.

function linearScale([low, high], [from, to]) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

function logScale([low, high], [from, to]) {
  const place = linearScale([Math.log(low), Math.log(high)], [from, to]);
  return (value) => place(Math.log(value));
}

// 1, 2, 2.5 or 5 times a power of ten, so that about `wanted` ticks fit.
function niceStep(span, wanted) {
  const rough = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step >= rough * 0.999);
}

function linearTicks(low, high, wanted) {
  return ticksEvery(niceStep(high - low || 1, wanted), low, high);
}

// From the lowest on, where points are likelier to be than at multiples of the step.
function wholeTicks(low, high, wanted) {
  const first = Math.ceil(low - 1e-9);
  const steps = [1, 2, 4, 5, 10];
  const step =
      steps.find((one) => (high - low) / one <= wanted + 0.5) || Math.ceil((high - low) / wanted);
  const ticks = [];
  for (let tick = first; tick <= high + 1e-9; tick += step) ticks.push(tick);
  return ticks;
}

function ticksEvery(step, low, high) {
  const ticks = [];
  for (let count = Math.ceil(low / step - 1e-9); count * step <= high + step * 1e-9; count += 1) {
    ticks.push(Number((count * step).toPrecision(12)));
  }
  return ticks;
}

function logTicks(low, high, wanted) {
  const decades = Math.log10(high / low);
  const factors = decades > wanted ? [1] :
                                     [[1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1, 3]].find(
                                         (some) => decades * some.length <= wanted + 1) ||
          [1, 3];
  const every = Math.max(1, Math.ceil(decades / wanted));
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high));
       power += every) {
    for (const factor of factors) {
      const tick = Number((factor * 10 ** power).toPrecision(3));
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  }
  return ticks;
}

function powerTicks(low, high, wanted) {
  const exponents = wholeTicks(Math.log2(low), Math.log2(high), wanted);
  return exponents.map((exponent) => 2 ** exponent);
}

// The y axis: from zero when linear; when logarithmic, a little more than the values need.
function valueAxis(values, log, pixels, unit) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const wanted = Math.max(3, Math.round((pixels[0] - pixels[1]) / 55));
  if (log && low > 0) {
    const domain = [low / 1.25, high * 1.25];
    const ticks = isBytes(unit) ? powerTicks : logTicks;
    return {scale: logScale(domain, pixels), ticks: ticks(...domain, wanted)};
  }
  const step = niceStep(Math.max(high, 0) - Math.min(low, 0) || 1, wanted);
  const domain =
      [Math.min(0, Math.floor(low / step) * step), Math.max(step, Math.ceil(high / step) * step)];
  return {scale: linearScale(domain, pixels), ticks: linearTicks(...domain, wanted)};
}

function placeAxis(places, {log, form}, pixels) {
  const low = Math.min(...places);
  const high = Math.max(...places);
  const wanted = Math.max(3, Math.round((pixels[1] - pixels[0]) / 72));
  if (low === high) return {scale: () => (pixels[0] + pixels[1]) / 2, ticks: [low]};
  if (log && low > 0) {
    const ticks = form === "power" ? powerTicks : logTicks;
    return {scale: logScale([low, high], pixels), ticks: ticks(low, high, wanted)};
  }
  const ticks = form === "exponent" ? wholeTicks : linearTicks;
  return {scale: linearScale([low, high], pixels), ticks: ticks(low, high, wanted)};
}
