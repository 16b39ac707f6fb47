import { html } from '../../vendor/preact/standalone.module.js';
import { t, number, span } from '../i18n.js';
import { Badge, Bar, Empty, Name, Panel, Table } from '../ui.js';
import { Chart, Past, Spark } from '../charts.js';

function State({ row }) {
  if (!row.open) return html`<${Badge}>${t('inventory.closed')}</${Badge}>`;
  if (row.left < 0) return html`<${Badge} kind="bad">${t('inventory.over')}</${Badge}>`;
  return row.left
    ? html`<${Badge} kind="good">${t('inventory.open')}</${Badge}>`
    : html`<${Badge} kind="info">${t('inventory.sold-out')}</${Badge}>`;
}

export function Inventory({ tick, history, theme, at }) {
  const columns = [
    { id: 'name', label: t('inventory.name'), cell: (row) => html`<${Name}>${row.name}</${Name}>` },
    { id: 'open', label: t('locks.state'), cell: (row) => html`<${State} row=${row} />` },
    { id: 'epoch', label: t('inventory.epoch'), num: true, cell: (row) => html`<code>${row.epoch}</code>` },
    {
      id: 'left',
      label: t('inventory.left'),
      num: true,
      cell: (row) =>
        html`<${Bar} share=${row.total ? row.left / row.total : 0} /> ${number(row.left)}${' '}
          <span class="muted">/ ${number(row.total)}</span>`,
    },
    {
      id: 'queued',
      label: t('inventory.queued'),
      hint: t('inventory.queued-hint'),
      num: true,
      cell: (row) => number(row.queued),
    },
    {
      id: 'held',
      label: t('inventory.held'),
      hint: t('inventory.held-hint'),
      num: true,
      cell: (row) => number(row.held),
    },
    { id: 'confirmed', label: t('inventory.confirmed'), num: true, cell: (row) => number(row.confirmed) },
    { id: 'returned', label: t('inventory.returned'), num: true, cell: (row) => number(row.returned) },
    {
      id: 'deadLetters',
      label: t('inventory.dead-letters'),
      hint: t('inventory.dead-letters-hint'),
      num: true,
      cell: (row) => (row.deadLetters ? html`<${Badge} kind="warn">${number(row.deadLetters)}</${Badge}>` : '0'),
    },
    {
      id: 'lag',
      label: t('inventory.lag'),
      hint: t('inventory.lag-hint'),
      num: true,
      cell: (row) =>
        row.waiting
          ? row.lag > 10000
            ? html`<${Badge} kind="warn">${span(row.lag)}</${Badge}>`
            : span(row.lag)
          : '–',
    },
    {
      id: 'spark',
      label: t('chart.two-minutes'),
      plain: true,
      cell: (row) =>
        html`<${Spark}
          values=${history.series['stock.left/' + row.name]}
          label=${t('chart.of', { name: t('inventory.left') })}
        />`,
    },
  ];
  return html`
    <${Past} at=${at} />
    <${Chart} at=${at} theme=${theme} history=${history} title=${t('inventory.in-flight')} lines=${[
      { key: 'inventory.queued', label: t('inventory.queued'), ink: '--ink1' },
      { key: 'inventory.held', label: t('inventory.held'), ink: '--ink2', dash: [4, 3] },
    ]} />
    <${Panel} id="stock-list" title=${t('nav.inventory')}>
      <${Table} label=${t('nav.inventory')} columns=${columns} rows=${tick.inventories} rowKey=${(row) => row.name}
        find at=${at} of=${tick} more=${tick.more} first=${{ id: 'queued', down: true }}
        empty=${html`<${Empty} title=${t('inventory.none')}>
          <p class="muted">${tick.known ? t('inventory.none-how') : t('inventory.not-here')}</p>
        </${Empty}>`} />
    </${Panel}>`;
}
