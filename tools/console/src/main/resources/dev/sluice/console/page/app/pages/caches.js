import { html } from '../../vendor/preact/standalone.module.js';
import { t, number, rate, share, span } from '../i18n.js';
import { Badge, Bar, Dialog, Facts, Gone, Name, Panel, Table } from '../ui.js';
import { Chart, Past, Spark } from '../charts.js';
import { go } from '../place.js';
import { NoProcesses } from './overview.js';

const hits = (row) => row.nearRate + row.hitsRate;
const ratio = (row) => {
  const all = hits(row) + row.missesRate;
  return all > 0 ? hits(row) / all : null;
};
const loadMillis = (row) => (row.loads ? row.micros / row.loads / 1000 : 0);

function Warned({ n, children }) {
  return n > 0 ? html`<${Badge} kind="warn">${children}</${Badge}>` : html`${children}`;
}

function CacheDialog({ row, fresh, onClose }) {
  const title = html`${t('caches.cache')} <${Name}>${row.name}</${Name}>`;
  return html`<${Dialog} title=${title} onClose=${onClose} fresh=${fresh} wide>
    <h3>${t('limiters.since-start')}</h3>
    <${Facts} rows=${[
      [t('caches.near'), number(row.near)],
      [t('caches.from-store'), number(row.hits)],
      [t('caches.misses'), number(row.misses)],
      [t('caches.guarded'), number(row.guarded)],
      [t('caches.loads'), number(row.loads)],
      [t('caches.load-time'), row.loads ? span(loadMillis(row)) : '–'],
      [t('caches.failed'), html`<${Warned} n=${row.failed}>${number(row.failed)}</${Warned}>`],
      [t('caches.refused'), number(row.refused)],
      [t('caches.stale'), html`<${Warned} n=${row.stale}>${number(row.stale)}</${Warned}>`],
      [t('caches.fallback'), html`<${Warned} n=${row.fallback}>${number(row.fallback)}</${Warned}>`],
      [t('caches.rejected'), html`<${Warned} n=${row.rejected}>${number(row.rejected)}</${Warned}>`],
      [t('caches.pending'), html`<${Warned} n=${row.pending}>${number(row.pending)}</${Warned}>`],
      [t('fleet.title'), number(row.processes)],
    ]} />
  </${Dialog}>`;
}

export function Caches({ tick, history, theme, fresh, at }) {
  const per = (n) => html`${rate(n)}<small> ${t('common.per-second')}</small>`;
  const columns = [
    {
      id: 'name',
      label: t('common.name'),
      value: (row) => row.name,
      cell: (row) => html`<${Name}>${row.name}</${Name}>`,
    },
    {
      id: 'ratio',
      label: t('caches.hit-rate'),
      num: true,
      value: (row) => (ratio(row) === null ? -1 : ratio(row)),
      cell: (row) => (ratio(row) === null ? '–' : html`<${Bar} share=${ratio(row)} /> ${share(ratio(row))}`),
    },
    { id: 'hits', label: t('caches.hits'), num: true, value: hits, cell: (row) => per(hits(row)) },
    {
      id: 'loads',
      label: t('caches.loads'),
      num: true,
      value: (row) => row.loadsRate,
      cell: (row) => per(row.loadsRate),
    },
    {
      id: 'time',
      label: t('caches.load-time'),
      num: true,
      value: loadMillis,
      cell: (row) => (row.loads ? span(loadMillis(row)) : '–'),
    },
    {
      id: 'stale',
      label: t('caches.stale'),
      hint: t('caches.stale-hint'),
      num: true,
      value: (row) => row.staleRate,
      cell: (row) => html`<${Warned} n=${row.staleRate}>${per(row.staleRate)}</${Warned}>`,
    },
    {
      id: 'failed',
      label: t('caches.failed'),
      num: true,
      value: (row) => row.failedRate,
      cell: (row) => html`<${Warned} n=${row.failedRate}>${per(row.failedRate)}</${Warned}>`,
    },
    {
      id: 'spark',
      label: t('chart.two-minutes'),
      plain: true,
      value: () => 0,
      cell: (row) =>
        html`<${Spark}
          values=${history.series['cache.hits/' + row.name]}
          label=${t('chart.of', { name: t('caches.hits') })}
        />`,
    },
    {
      id: 'processes',
      label: t('fleet.title'),
      num: true,
      value: (row) => row.processes,
      cell: (row) => number(row.processes),
    },
  ];
  const opened = at.open && tick.caches.find((row) => row.name === at.open);
  return html`
    <${Past} at=${at} />
    <${Chart} at=${at} theme=${theme} history=${history} title=${t('chart.caches')} lines=${[
      { key: 'caches.hits', label: t('caches.hits'), ink: '--ink1' },
      { key: 'caches.loads', label: t('caches.loads'), ink: '--ink2', dash: [4, 3] },
      { key: 'caches.stale', label: t('caches.stale'), ink: '--ink3', dash: [1, 3] },
    ]} />
    <${Panel} id="cache-list" title=${t('nav.caches')} note=${t('fleet.note')}>
      ${tick.fleetProblem && html`<p class="pad muted">${tick.fleetProblem}</p>`}
      <${Table} label=${t('nav.caches')} columns=${columns} rows=${tick.caches} rowKey=${(row) => row.name}
        onOpen=${(row) => go({ open: row.name })} find=${(row) => row.name} at=${at} first=${{ id: 'hits', down: true }}
        empty=${html`<${NoProcesses} what=${t('caches.none')} />`} />
    </${Panel}>
    ${at.open && !opened && html`<${Gone} name=${at.open} onClose=${() => go({ open: null }, true)} />`}
    ${opened && html`<${CacheDialog} row=${opened} fresh=${fresh} onClose=${() => go({ open: null }, true)} />`}`;
}
