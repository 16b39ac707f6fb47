import { html, useState } from '../../vendor/preact/standalone.module.js';
import { finding as known } from '../findings.js';
import { t, number, rate, share, visible } from '../i18n.js';
import { Ago, Badge, Copy, Empty, Facts, Failure, Name, Panel, Severity, Table } from '../ui.js';
import { Chart, Past, Spark } from '../charts.js';
import { post } from '../api.js';
import { Happenings } from './events.js';

function Tile({ label, value, unit, values, href }) {
  return html`<a class="tile" href=${href}>
    <span class="tile-label">${label}</span>
    <span class="tile-value">${value}${unit && html`<small> ${unit}</small>`}</span>
    <${Spark} values=${values} label=${t('chart.of', { name: label })} />
  </a>`;
}

/** In the reader's language; the store's own words have the numbers. */
function Finding({ finding }) {
  const said = known(finding);
  return html`<li>
    <details>
      <summary>
        <${Severity} of=${finding.severity} /> <code>${finding.id}</code>${' '}
        <span lang=${said ? null : 'en'}>${said ? said.what : finding.what}</span>
      </summary>
      <${Facts} rows=${[
        said && [t('overview.what'), html`<span lang="en">${finding.what}</span>`],
        [t('overview.where'), finding.where],
        [t('overview.risk'), said ? said.risk : html`<span lang="en">${finding.risk}</span>`],
        [
          t('overview.fix'),
          finding.command
            ? html`<code>${finding.command}</code> <${Copy} text=${finding.command} />`
            : html`<span lang="en">${finding.fix}</span>`,
        ],
      ]} />
    </details>
  </li>`;
}

function Findings({ tick }) {
  const [failed, setFailed] = useState(null);
  const [asked, setAsked] = useState(0);
  async function examine() {
    setFailed(null);
    try {
      if ((await post('examine', {})).started) setAsked(tick.at);
    } catch (problem) {
      setFailed(problem);
    }
  }
  const waiting = asked > tick.examinedAt;
  return html`<${Panel} id="findings" title=${t('overview.findings')}
    note=${
      tick.examinedAt
        ? html`${t('overview.examined')} <${Ago} at=${tick.examinedAt} now=${tick.at} />`
        : t('overview.examining')
    }
    tools=${html`<button type="button" onClick=${examine} disabled=${waiting}>
      ${waiting ? t('overview.examining') : t('overview.examine')}
    </button>`}>
    <${Failure} of=${failed} />
    ${
      tick.findingsProblem &&
      html`<p class="pad"><${Badge} kind="bad">${t('severity.error')}</${Badge}> ${tick.findingsProblem}</p>`
    }
    ${
      tick.examinedAt && !tick.findings.length && !tick.findingsProblem
        ? html`<p class="pad">
            <${Badge} kind="good">${t('overview.well')}</${Badge}> ${t('overview.nothing-found')}
          </p>`
        : null
    }
    <ul class="findings">${tick.findings.map(
      (each) => html`<${Finding} key=${each.id + each.where} finding=${each} />`,
    )}</ul>
  </${Panel}>`;
}

export function NoProcesses({ what }) {
  return html`<${Empty} title=${what}>
    <p>${t('fleet.how')}</p>
    <pre><code>FleetReporter.start(sluice, "orders-1");</code></pre>
    <p class="muted">${t('fleet.spring')} <code>sluice.console.report=true</code></p>
  </${Empty}>`;
}

function Processes({ tick, at }) {
  const columns = [
    {
      id: 'name',
      label: t('fleet.process'),
      value: (row) => row.name,
      cell: (row) =>
        html`<${Name}>${row.name}</${Name}>${row.cut ? html` <${Badge} kind="info">${t('fleet.cut')}</${Badge}>` : ''}`,
    },
    {
      id: 'host',
      label: t('fleet.host'),
      value: (row) => row.host,
      cell: (row) => html`${visible(row.host)} <span class="muted">${row.pid}</span>`,
    },
    {
      id: 'since',
      label: t('fleet.since'),
      value: (row) => -row.since,
      num: true,
      cell: (row) => html`<${Ago} at=${row.since} now=${tick.at} />`,
    },
    {
      id: 'limiters',
      label: t('nav.limiters'),
      value: (row) => row.limiters,
      num: true,
      cell: (row) => number(row.limiters),
    },
    {
      id: 'caches',
      label: t('nav.caches'),
      value: (row) => row.caches,
      num: true,
      cell: (row) => number(row.caches),
    },
    {
      id: 'losses',
      label: t('locks.losses'),
      hint: t('locks.losses-hint'),
      value: (row) => row.losses,
      num: true,
      cell: (row) => (row.losses ? html`<${Badge} kind="warn">${number(row.losses)}</${Badge}>` : '0'),
    },
    {
      id: 'seen',
      label: t('fleet.seen'),
      value: (row) => -row.seen,
      num: true,
      cell: (row) => html`<${Ago} at=${row.seen} now=${tick.at} />`,
    },
  ];
  return html`<${Panel} id="processes" title=${t('fleet.title')}
    note=${tick.unreadable ? t('fleet.unreadable', { n: tick.unreadable }) : ''}>
    ${tick.fleetProblem && html`<p class="pad muted">${tick.fleetProblem}</p>`}
    <${Table} label=${t('fleet.title')} columns=${columns} rows=${tick.members} rowKey=${(row) => row.client} at=${at}
      empty=${html`<${NoProcesses} what=${t('fleet.none')} />`} />
  </${Panel}>`;
}

export function Overview({ tick, history, theme, at }) {
  const s = tick.series;
  const hits = s['caches.hits'];
  const loads = s['caches.loads'];
  const tile = (key, page, label, unit) =>
    html`<${Tile}
      label=${label}
      value=${s[key] === undefined ? '–' : rate(s[key])}
      unit=${unit}
      values=${history.series[key]}
      href=${'#/' + page}
    />`;
  const found = hits + loads > 0 ? share(hits / (hits + loads)) : '–';
  return html`
    <div class="tiles">
      ${tile('locks.held', 'locks', t('overview.held'))}
      ${tile('locks.waiting', 'locks', t('locks.waiting'))}
      ${tile('limits.admitted', 'limiters', t('limiters.admitted'), t('common.per-second'))}
      ${tile('limits.refused', 'limiters', t('limiters.refused'), t('common.per-second'))}
      <${Tile} label=${t('overview.hit-rate')} value=${found} values=${history.series['caches.hits']} href="#/caches" />
      ${tile('caches.loads', 'caches', t('overview.loads'), t('common.per-second'))}
    </div>
    ${tick.locksMore && html`<p class="muted">${t('overview.first-locks', { n: number(tick.locksKnown) })}</p>`}
    <${Findings} tick=${tick} />
    <${Past} at=${at} />
    <div class="charts">
      <${Chart} at=${at} theme=${theme} history=${history} title=${t('nav.locks')} lines=${[
        { key: 'locks.held', label: t('overview.held'), ink: '--ink1' },
        { key: 'locks.waiting', label: t('locks.waiting'), ink: '--ink2', dash: [4, 3] },
      ]} />
      <${Chart} at=${at} theme=${theme} history=${history} title=${t('chart.limits')} lines=${[
        { key: 'limits.admitted', label: t('limiters.admitted'), ink: '--ink1' },
        { key: 'limits.refused', label: t('limiters.refused'), ink: '--ink3', dash: [4, 3] },
      ]} />
      <${Chart} at=${at} theme=${theme} history=${history} title=${t('chart.caches')} lines=${[
        { key: 'caches.hits', label: t('caches.hits'), ink: '--ink1' },
        { key: 'caches.loads', label: t('caches.loads'), ink: '--ink2', dash: [4, 3] },
        { key: 'caches.stale', label: t('caches.stale'), ink: '--ink3', dash: [1, 3] },
      ]} />
    </div>
    <${Processes} tick=${tick} at=${at} />
    <${Panel} id="latest" title=${t('overview.latest')}
      tools=${html`<a href="#/events">${t('overview.all-events')}</a>`}>
      <${Happenings} events=${tick.events} now=${tick.at} />
    </${Panel}>`;
}
