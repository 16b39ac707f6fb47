import { html } from '../../vendor/preact/standalone.module.js';
import { t, number, share, span, bytes } from '../i18n.js';
import { Ago, Badge, Bar, Name, Panel, Table } from '../ui.js';
import { NoProcesses } from './overview.js';

const state = (row) => (row.missing ? 2 : row.rate > row.wantedRate * 1.05 ? 1 : 0);

function State({ row }) {
  if (row.rebuilding) return html`<${Badge} kind="info">${t('filters.rebuilding')}</${Badge}>`;
  if (row.missing)
    return html`<${Badge} kind="bad">
      ${t('filters.missing', { n: number(row.missing), of: number(row.partitions) })}
    </${Badge}>`;
  return state(row)
    ? html`<${Badge} kind="warn">${t('filters.over-full')}</${Badge}>`
    : html`<${Badge} kind="good">${t('filters.good')}</${Badge}>`;
}

export function Filters({ tick, at }) {
  const columns = [
    {
      id: 'name',
      label: t('common.name'),
      value: (row) => row.name,
      cell: (row) => html`<${Name}>${row.name}</${Name}>`,
    },
    {
      id: 'state',
      label: t('locks.state'),
      value: (row) => -state(row),
      cell: (row) => html`<${State} row=${row} />`,
    },
    {
      id: 'fill',
      label: t('filters.fill'),
      hint: t('filters.fill-hint'),
      num: true,
      value: (row) => row.fill,
      cell: (row) => html`<${Bar} share=${row.fill} kind=${row.fill > 0.52 ? 'warn' : ''} /> ${share(row.fill)}`,
    },
    {
      id: 'rate',
      label: t('filters.rate'),
      hint: t('filters.rate-hint'),
      num: true,
      value: (row) => row.rate,
      cell: (row) => share(row.rate),
    },
    {
      id: 'wanted',
      label: t('filters.wanted'),
      num: true,
      value: (row) => row.wantedRate,
      cell: (row) => share(row.wantedRate),
    },
    {
      id: 'count',
      label: t('filters.count'),
      num: true,
      value: (row) => row.count,
      cell: (row) => html`${number(row.count)} <span class="muted">/ ${number(row.expected)}</span>`,
    },
    { id: 'size', label: t('filters.size'), num: true, value: (row) => row.bits, cell: (row) => bytes(row.bits) },
    {
      id: 'hashes',
      label: t('filters.hashes'),
      num: true,
      value: (row) => row.hashes,
      cell: (row) => number(row.hashes),
    },
    {
      id: 'ttl',
      label: t('filters.ttl'),
      num: true,
      value: (row) => (row.ttl < 0 ? Number.MAX_SAFE_INTEGER : row.ttl),
      cell: (row) => (row.ttl < 0 ? t('filters.for-ever') : span(row.ttl)),
    },
  ];
  const counted = tick.filtersAt ? html`<${Ago} at=${tick.filtersAt} now=${tick.at} />` : '';
  return html`<${Panel} id="filter-list" title=${t('nav.filters')} note=${html`${t('filters.note')} ${counted}`}>
    ${tick.fleetProblem && html`<p class="pad muted">${tick.fleetProblem}</p>`}
    <${Table} label=${t('nav.filters')} columns=${columns} rows=${tick.filters} rowKey=${(row) => row.name}
      find=${(row) => row.name} at=${at} more=${tick.more}
      empty=${html`<${NoProcesses} what=${t('filters.none')} />`} />
  </${Panel}>`;
}
