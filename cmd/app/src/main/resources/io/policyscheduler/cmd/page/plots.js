// Lines over time, drawn by uPlot.

import {clock} from './amounts.js';

const SECONDS = 1000;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export class Plot {
  #plot = null;
  #figure;
  #title;
  #lines;
  #format;
  #least;

  /** lines: [{label, colour (a variable of the style), value(point)}]; least: the smallest upper end of the scale */
  constructor(figure, title, lines, format, least) {
    this.#least = least;
    this.#figure = figure;
    this.#title = title;
    this.#lines = lines;
    this.#format = format;
    this.empty = document.createElement('p');
    this.empty.className = 'soft empty';
    this.empty.textContent = 'No data yet.';
    figure.append(document.createElement('figcaption'), this.empty, document.createElement('div'));
    this.#figure.firstChild.textContent = title;
    this.#figure.lastChild.setAttribute('role', 'img');
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    this.again = () => this.#build();
    this.dark.addEventListener('change', this.again);
    this.observer = new ResizeObserver(() => this.#plot?.setSize(this.#size()));
    this.observer.observe(figure);
    this.#build();
  }

  #size() {
    return {width: Math.max(200, this.#figure.clientWidth), height: 170};
  }

  #build() {
    const data = this.#plot?.data ?? [[], ...this.#lines.map(() => [])];
    this.#plot?.destroy();
    const axis = {stroke: colour('--soft'), grid: {stroke: colour('--line'), width: 1}, ticks: {stroke: colour('--line')}};
    this.#plot = new uPlot({
      ...this.#size(),
      legend: {live: false},
      cursor: {show: false},
      scales: {y: {range: (plot, least, most) => [0, Math.max((most ?? 0) * 1.1, this.#least)]}},
      axes: [{...axis, space: 90, values: (plot, times) => times.map(time => plot.data[0].length === 0 ? '' : clock(time * SECONDS))}, {...axis, size: 62, values: (plot, values) => values.map(this.#format)}],
      series: [{}, ...this.#lines.map(line => ({label: line.label, stroke: colour(line.colour), width: 2, spanGaps: true,
        points: {show: false}}))],
    }, data, this.#figure.lastChild);
  }

  show(points) {
    const values = this.#lines.map(line => points.map(line.value));
    this.#plot.setData([points.map(point => point.time / SECONDS), ...values]);
    this.empty.hidden = values.some(line => line.some(value => value !== null));
    const now = points.at(-1);
    const texts = now ? this.#lines.map(line => `${line.label} ${this.#format(line.value(now) ?? 0)}`) : ['no data'];
    this.#figure.lastChild.setAttribute('aria-label', now ? `${this.#title}: now ${texts.join(', ')}` : `${this.#title}: no data yet`);
  }

  close() {
    this.observer.disconnect();
    this.dark.removeEventListener('change', this.again);
    this.#plot.destroy();
  }
}
