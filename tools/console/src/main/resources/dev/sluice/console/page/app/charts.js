// Numbers of a day as pictures.
import { html, useEffect, useRef, useState } from '../vendor/preact/standalone.module.js';
import { t, clock, rate } from './i18n.js';
import { go } from './place.js';

const SECONDS = 120; // of a spark
const BRIEF = 20; // so many seconds between two looks are no gap in a spark
const GAP = 60; // after so many seconds without a look, a line is broken

export const nothing = { until: 0, series: {}, trend: { at: [], series: {} } };

const filled = (count) => new Array(count).fill(null);

/** The history with the numbers of one more second; a second that was left out had the same. */
export function extend(history, tick) {
  const second = Math.floor(tick.at / 1000);
  const behind = Math.max(0, Math.min(SECONDS, second - history.until));
  const series = {};
  for (const key of new Set([...Object.keys(history.series), ...Object.keys(tick.series)])) {
    const old = history.series[key] || filled(SECONDS);
    const now = key in tick.series ? tick.series[key] : null;
    series[key] = old.slice(behind).concat(filled(behind).fill(behind < BRIEF ? now : null));
    series[key][SECONDS - 1] = now;
  }
  return { until: Math.max(history.until, second), series, trend: grow(history.trend, second, tick.series) };
}

function grow(trend, second, numbers) {
  const last = trend.at[trend.at.length - 1];
  if (last >= second) return trend;
  const added = last !== undefined && second - last > GAP ? [last + 1, second] : [second];
  const series = {};
  for (const key of new Set([...Object.keys(trend.series), ...Object.keys(numbers)])) {
    if (key.includes('/')) continue; // of one name: sparks only
    const values = (trend.series[key] || filled(trend.at.length)).concat(filled(added.length));
    if (key in numbers) values[values.length - 1] = numbers[key];
    series[key] = values;
  }
  return { at: trend.at.concat(added), series };
}

/** The last two minutes as a line without axes. */
export function Spark({ values, label }) {
  const shown = (values || []).slice(-120);
  const most = Math.max(1e-9, ...shown.map((v) => v || 0));
  let path = '';
  let pen = false;
  shown.forEach((v, i) => {
    if (v === null || v === undefined) {
      pen = false;
      return;
    }
    path += (pen ? 'L' : 'M') + ((i / 119) * 96 + 2).toFixed(1) + ' ' + (21 - (v / most) * 18).toFixed(1);
    pen = true;
  });
  return html`<svg
    class="spark"
    viewBox="0 0 100 24"
    preserveAspectRatio="none"
    role="img"
    aria-label=${label || t('chart.spark')}
  >
    <path d=${path} />
  </svg>`;
}

/** A colour of the style sheet as the canvas wants it: light or dark is settled by then. */
function colour(name) {
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = 'var(' + name + ')';
  const settled = getComputedStyle(probe).color;
  probe.remove();
  return settled;
}

const SPANS = ['600', '3600', '86400']; // seconds
const span = (at) => (SPANS.includes(at.last) ? at.last : '3600');

/** How much of the past the charts show; all that is there, up to that. */
export function Past({ at }) {
  return html`<p class="past">
    <label>
      ${t('chart.past')}${' '}
      <select value=${span(at)} onChange=${(event) => go({ last: event.target.value }, true)}>
        ${SPANS.map((each) => html`<option key=${each} value=${each}>${t(`chart.past-${each}`)}</option>`)}
      </select>
    </label>
  </p>`;
}

/**
 * Lines over the past: [{key, label, ink}]; ink is the name of a colour of the style sheet. The legend shows the
 * numbers under the pointer and their time, else the newest. By keyboard: the arrows, Home, End; Escape goes back to
 * the newest.
 */
export function Chart({ title, lines, history, theme, at }) {
  const box = useRef(null);
  const plot = useRef(null);
  const held = useRef(null); // the second that the keyboard is at
  const [index, setIndex] = useState(null);
  const { trend } = history;
  const since = history.until - Number(span(at));
  const first = Math.max(0, trend.at.findIndex((second) => second >= since));
  const seconds = trend.at.slice(first);
  const data = [seconds, ...lines.map((line) => (trend.series[line.key] || filled(trend.at.length)).slice(first))];
  const signature = theme + '|' + lines.map((line) => line.key + line.label).join('|');
  useEffect(() => {
    const axis = {
      stroke: colour('--muted'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui, sans-serif',
    };
    plot.current = new window.uPlot(
      {
        width: box.current.clientWidth,
        height: 132,
        legend: { show: false },
        cursor: { points: { size: 5 }, drag: { x: false, y: false }, sync: { key: 'sluice' } },
        hooks: { setCursor: [(u) => setIndex(u.cursor.left >= 0 && u.cursor.idx !== undefined ? u.cursor.idx : null)] },
        scales: {
          x: { range: (u, min, max) => [Math.min(min, max - SECONDS), max] },
          y: { range: (u, min, max) => [0, Math.max(1, (max || 0) * 1.1)] },
        },
        axes: [
          { ...axis, size: 26, values: (u, ticks) => ticks.map((second) => clock(second * 1000, false)), space: 70 },
          { ...axis, size: 44, values: (u, ticks) => ticks.map(rate), space: 28 },
        ],
        series: [
          {},
          ...lines.map((line) => ({
            stroke: colour(line.ink),
            width: 1.5,
            dash: line.dash,
            spanGaps: false,
            points: { show: false },
          })),
        ],
      },
      data,
      box.current,
    );
    const resized = new ResizeObserver(
      () => plot.current && plot.current.setSize({ width: box.current.clientWidth, height: 132 }),
    );
    resized.observe(box.current);
    return () => {
      resized.disconnect();
      plot.current.destroy();
      plot.current = null;
    };
  }, [signature]);
  useEffect(() => {
    if (plot.current) plot.current.setData(data);
    if (held.current !== null) point(held.current);
  }, [history.until, since, signature]);
  function point(second) {
    held.current = second;
    plot.current.setCursor({ left: second === null ? -10 : plot.current.valToPos(second, 'x'), top: 20 });
  }
  function key(event) {
    const newest = seconds.length - 1;
    const from = index === null ? newest : Math.min(index, newest);
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: newest }[event.key];
    if (event.key === 'Escape') point(null);
    else if (to === undefined) return;
    else point(seconds[Math.max(0, Math.min(newest, to))]);
    event.preventDefault();
  }
  const shown = index !== null && index < seconds.length ? index : seconds.length - 1;
  const read = lines.map((line, i) => [line, seconds.length ? data[i + 1][shown] : null]);
  const text = (v) => (v === null || v === undefined ? '–' : rate(v));
  const when = seconds.length ? clock(seconds[shown] * 1000, true) : '–';
  const said = [when, ...read.map(([line, v]) => line.label + ' ' + text(v))].join(', ');
  return html`<figure class="chart" aria-label=${title}>
    <figcaption>
      <strong>${title}</strong>
      ${read.map(
        ([line, v]) =>
          html`<span key=${line.key} class="legend">
            <svg width="16" height="8" aria-hidden="true">
              <line x1="0" y1="4" x2="16" y2="4" stroke-width="2" stroke-dasharray=${line.dash ? '4 3' : null}
                style=${{ stroke: 'var(' + line.ink + ')' }} />
            </svg>
            ${line.label} <b>${text(v)}</b>
          </span>`,
      )}
      <time class="legend">${when}</time>
    </figcaption>
    <div ref=${box} class="plot" tabindex="0" role="slider" aria-label=${title} aria-valuemin="0"
      aria-valuemax=${Math.max(0, seconds.length - 1)} aria-valuenow=${Math.max(0, shown)} aria-valuetext=${said}
      onKeyDown=${key} onBlur=${() => held.current !== null && point(null)}></div>
  </figure>`;
}
