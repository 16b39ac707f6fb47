// Ten minutes of numbers as pictures.
import { html, useEffect, useRef } from '../vendor/preact/standalone.module.js';
import { t, rate } from './i18n.js';

export const SECONDS = 600;

/** The history with the numbers of one more second; a second that was left out had the same. */
export function extend(history, tick) {
  const second = Math.floor(tick.at / 1000);
  const behind = Math.max(0, Math.min(SECONDS, second - history.until));
  const series = {};
  const empty = () => new Array(SECONDS).fill(null);
  for (const key of new Set([...Object.keys(history.series), ...Object.keys(tick.series)])) {
    const old = history.series[key] || empty();
    const now = key in tick.series ? tick.series[key] : null;
    series[key] = old.slice(behind).concat(new Array(behind).fill(behind < 4 ? now : null));
    series[key][SECONDS - 1] = now;
  }
  return { until: Math.max(history.until, second), series };
}

export function last(history, key) {
  const values = history.series[key];
  if (!values) return null;
  for (let i = SECONDS - 1; i >= SECONDS - 15; i--)
    if (values[i] !== null && values[i] !== undefined) return values[i];
  return null;
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

const clock = (second) => new Date(second * 1000).toTimeString().slice(0, 5);

/** Lines over ten minutes: [{key, label, ink}]; ink is the name of a colour of the style sheet. */
export function Chart({ title, lines, history, theme }) {
  const box = useRef(null);
  const plot = useRef(null);
  const seconds = Array.from({ length: SECONDS }, (_, i) => history.until - SECONDS + 1 + i);
  const data = [seconds, ...lines.map((line) => history.series[line.key] || new Array(SECONDS).fill(null))];
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
        scales: { y: { range: (u, min, max) => [0, Math.max(1, (max || 0) * 1.1)] } },
        axes: [
          { ...axis, size: 26, values: (u, at) => at.map(clock), space: 70 },
          { ...axis, size: 44, values: (u, at) => at.map(rate), space: 28 },
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
  });
  const now = lines.map((line) => [line, last(history, line.key)]);
  return html`<figure
    class="chart"
    aria-label=${title + ': ' + now.map(([line, v]) => line.label + ' ' + (v === null ? '–' : rate(v))).join(', ')}
  >
    <figcaption>
      <strong>${title}</strong>${now.map(
        ([line, v]) =>
          html`<span key=${line.key} class="legend">
            <svg width="16" height="8" aria-hidden="true">
              <line
                x1="0"
                y1="4"
                x2="16"
                y2="4"
                stroke-width="2"
                stroke-dasharray=${line.dash ? '4 3' : null}
                style=${{ stroke: 'var(' + line.ink + ')' }}
              />
            </svg>
            ${line.label} <b>${v === null ? '–' : rate(v)}</b></span
          >`,
      )}
    </figcaption>
    <div ref=${box} class="plot"></div>
  </figure>`;
}
