// SPDX-License-Identifier: GPL-3.0-or-later
// The flame graphs of the page: a canvas with keyboard and pointer, its current frame as text, and a table of all frames.
'use strict';
const FLAME_ROW = 19, FLAME_FRAMES_IN_TABLE = 500;

// Frames as objects with their first weight `x` in the whole graph.
function flameFrames(flame) {
  const frames = flame.frames.map(([name, parent, total, self, count]) => ({name: R.names[name], parent, total, self, count, children: []}));
  frames.forEach((frame, i) => {
    frame.depth = i ? frames[frame.parent].depth + 1 : 0;
    frame.parent = i ? frames[frame.parent] : null;
    if (frame.parent) frame.parent.children.push(frame);
    const before = frame.parent && frame.parent.children.at(-2);
    frame.x = before ? before.x + before.total : frame.parent ? frame.parent.x : 0;
  });
  return frames;
}

class FlamePlot {
  constructor(flame) {
    this.frames = flameFrames(flame);
    this.root = this.focus = this.current = this.frames[0];
    this.text = {bytes: bytesText, nanoseconds: timeText, flops: v => v.toLocaleString() + ' FLOP'}[flame.unit];
    this.rows = Math.max(...this.frames.map(f => f.depth)) + 1;
    this.canvas = make('canvas', {tabindex: 0, role: 'application', 'aria-label': t('flame'), 'aria-describedby': 'flame-current'});
    this.canvas.style.height = this.rows * FLAME_ROW + 'px';
    this.status = make('p', {id: 'flame-current', 'aria-live': 'polite', class: 'muted'});
    this.box = make('div', {class: 'plot flame'}, this.canvas);
    plots.push(this);
    this.listen();
  }
  listen() {
    const c = this.canvas;
    c.addEventListener('click', e => { const frame = this.at(e.offsetX, e.offsetY); if (frame) this.zoom(frame); });
    c.addEventListener('dblclick', () => this.zoom(this.root));
    c.addEventListener('pointermove', e => { const frame = this.at(e.offsetX, e.offsetY); showTip(e, frame ? this.describe(frame, '\n') : ''); });
    c.addEventListener('pointerleave', () => { tip.style.display = 'none'; });
    c.addEventListener('keydown', e => {
      const frame = this.current, siblings = frame.parent ? frame.parent.children : [frame], i = siblings.indexOf(frame);
      const next = {ArrowUp: frame.parent, ArrowDown: frame.children[0], ArrowLeft: siblings[i - 1], ArrowRight: siblings[i + 1], Home: this.root}[e.key];
      if (e.key === 'Enter') this.zoom(frame);
      else if (e.key === 'Escape') this.zoom(this.root);
      else if (['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home'].includes(e.key)) { if (next) this.select(next); }
      else return;
      e.preventDefault();
    });
  }
  zoom(frame) { this.focus = frame; this.select(frame); }
  select(frame) {
    this.current = frame;
    if (!this.isInFocus(frame)) this.focus = frame;
    this.draw();
    const view = this.box.parentElement, top = frame.depth * FLAME_ROW;
    view.scrollTop = Math.min(top, Math.max(view.scrollTop, top + FLAME_ROW - view.clientHeight));
  }
  isInFocus(frame) {
    for (let f = frame; f; f = f.parent) if (f === this.focus) return true;
    for (let f = this.focus; f; f = f.parent) if (f === frame) return true;
    return false;
  }
  // [left, width] in pixels; ancestors of the focus have the whole width.
  extent(frame) {
    if (frame.depth <= this.focus.depth) return this.isInFocus(frame) ? [0, this.width] : null;
    const left = (frame.x - this.focus.x) / this.focus.total * this.width, width = frame.total / this.focus.total * this.width;
    return left >= -0.01 && left < this.width && frame.x < this.focus.x + this.focus.total ? [left, width] : null;
  }
  at(px, py) {
    const depth = Math.floor(py / FLAME_ROW);
    return this.frames.find(f => {
      const extent = f.depth === depth && this.extent(f);
      return extent && px >= extent[0] && px < extent[0] + extent[1];
    });
  }
  describe(frame, separator) {
    const share = of => (100 * frame.total / Math.max(of.total, 1)).toFixed(1) + ' %';
    const parts = [this.name(frame), `${t('total')} ${this.text(frame.total)} (${share(this.root)})`, `${t('self')} ${this.text(frame.self)}`];
    if (frame.parent && frame.parent !== this.root) parts.push(`${share(frame.parent)} ${t('ofParent')} ${this.name(frame.parent)}`);
    if (frame.count) parts.push(`${t('count')} ${frame.count.toLocaleString()}`);
    return parts.join(separator);
  }
  name(frame) { return frame === this.root ? t('all') : frame.name; }
  // The weight of frames that match the search and have no matching ancestor.
  found() {
    const inside = new Set();
    let weight = 0;
    for (const frame of this.frames) {
      if (frame.parent && inside.has(frame.parent)) inside.add(frame);
      else if (frame !== this.root && matches(frame.name)) { inside.add(frame); weight += frame.total; }
    }
    return weight;
  }
  draw() {
    this.width = this.box.clientWidth;
    const g = canvasContext(this.canvas, this.width, this.rows * FLAME_ROW);
    for (const frame of this.frames) {
      const extent = this.extent(frame);
      if (!extent || (extent[1] < 0.4 && frame !== this.current)) continue;
      const [left, width] = extent, top = frame.depth * FLAME_ROW;
      g.globalAlpha = frame.depth < this.focus.depth ? 0.6 : 1;
      g.fillStyle = frame === this.root ? css('--card') : colour(frame.name, !matches(frame.name));
      g.fillRect(left, top, Math.max(width - 1, 0.4), FLAME_ROW - 1);
      label(g, this.name(frame), Math.max(left, 0), top + FLAME_ROW / 2, Math.min(left + width, this.width) - Math.max(left, 0));
      g.globalAlpha = 1;
      if (frame === this.current) {
        g.strokeStyle = css('--text');
        g.lineWidth = 2;
        g.strokeRect(left + 1, top + 1, Math.max(width - 3, 1), FLAME_ROW - 3);
      }
    }
    const search = found ? `; ${t('matching')} ${(100 * this.found() / Math.max(this.root.total, 1)).toFixed(1)} %` : '';
    this.status.textContent = this.describe(this.current, ', ') + search;
  }
}

function flameSection() {
  const section = document.getElementById('flame');
  section.replaceChildren();
  if (!R.flames.length) return;
  const choice = make('select', {'aria-label': t('flame')}, ...R.flames.map((f, i) => make('option', {value: i}, t(f.weight))));
  const reset = make('button', {}, t('reset')), body = make('div');
  const tools = make('div', {class: 'tools'}, choice, reset, make('span', {class: 'muted'}, t('flameHelp')));
  let plot = null;
  const show = () => {
    const flame = R.flames[choice.value];
    if (plot) plots.splice(plots.indexOf(plot), 1);
    plot = new FlamePlot(flame);
    const rows = plot.frames.slice(1).map(f => ({name: f.name, total: f.total, self: f.self, count: f.count, parent: plot.name(f.parent)}));
    rows.sort((a, b) => b.self - a.self);
    const columns = [{key: 'name', title: 'name'}, {key: 'parent', title: 'parent'}, {key: 'total', title: 'total', text: plot.text},
      {key: 'self', title: 'self', text: plot.text}, {key: 'count', title: 'count', text: String}];
    body.replaceChildren(plot.status, make('div', {class: 'scroll'}, plot.box), make('details', {}, make('summary', {}, t('asTable')),
      table(columns, rows.slice(0, FLAME_FRAMES_IN_TABLE)),
      rows.length > FLAME_FRAMES_IN_TABLE ? make('p', {class: 'muted'}, t('omittedFrames') + ' ' + (rows.length - FLAME_FRAMES_IN_TABLE).toLocaleString()) : ''));
    if (flame.omitted) body.append(make('p', {class: 'muted'}, t('omittedFrames') + ' ' + flame.omitted.toLocaleString()));
    plot.draw();
  };
  choice.addEventListener('change', show);
  reset.addEventListener('click', () => plot.zoom(plot.root));
  section.append(heading('flame'), tools, body);
  show();
}
