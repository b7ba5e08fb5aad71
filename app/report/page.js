// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the pages that are written: the page defines the texts t() and the language zh.
function bytesText(v) {
  if (v === null || v === undefined) return t('missing');
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let i = 0, x = Math.abs(v);
  while (x >= 1024 && i < 4) { x /= 1024; ++i; }
  return (v < 0 ? '-' : '') + (i === 0 ? x : x.toPrecision(x >= 1000 ? 4 : 3)) + ' ' + units[i];
}
function timeText(v) {
  if (v === null || v === undefined) return t('missing');
  const a = Math.abs(v);
  if (a >= 1e9) return (v / 1e9).toPrecision(4) + ' s';
  if (a >= 1e6) return (v / 1e6).toPrecision(4) + ' ms';
  if (a >= 1e3) return (v / 1e3).toPrecision(4) + ' µs';
  return v + ' ns';
}
// Steps are shown from 1; the data holds indices, and the end of a range is exclusive.
const stepNumber = index => index + 1, lastStepNumber = end => stepNumber(end - 1);
const make = (tag, attributes = {}, ...children) => {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) k === 'class' ? e.className = v : e.setAttribute(k, v);
  e.append(...children);
  return e;
};
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches;
const hues = new Map();
function colour(name, faded) {
  if (!hues.has(name)) {
    let h = 2166136261;
    for (const c of name) h = Math.imul(h ^ c.codePointAt(0), 16777619);
    hues.set(name, (h >>> 0) % 360);
  }
  return `hsl(${hues.get(name)} ${faded ? 8 : 48}% ${isDark() ? (faded ? 24 : 40) : (faded ? 90 : 74)}%)`;
}
