import { html, useEffect, useState } from '../../vendor/preact/standalone.module.js';
import { t, moment, number, rate, share, visible } from '../i18n.js';
import { Badge, Bar, Dialog, Facts, Failure, Gone, Name, Panel, Table } from '../ui.js';
import { Chart, Past, Spark } from '../charts.js';
import { get, post } from '../api.js';
import { go } from '../place.js';
import { NoProcesses } from './overview.js';

const perSecond = (n) => rate(n) + ' ' + t('common.per-second');

const inProcesses = (policy, row) =>
  t('limiters.in-processes', { n: number(policy.processes), of: number(row.processes) });

/** First the new policy, then what it changes. Nobody is asked for anything before both are on the screen. */
function Change({ row, first, fresh, onBack, onDone }) {
  const [text, setText] = useState(first);
  const [reason, setReason] = useState('');
  const [plan, setPlan] = useState(null);
  const [agreed, setAgreed] = useState(false);
  const [failed, setFailed] = useState(null);
  const [busy, setBusy] = useState(false);
  const limits = text.split(' + ').map((each) => each.trim());
  const send = (what, extra, then) => async (event) => {
    event.preventDefault();
    setBusy(true);
    setFailed(null);
    try {
      then(await post('limiters/' + what, { name: row.name, limits, ...extra }));
    } catch (problem) {
      setFailed(problem);
    }
    setBusy(false);
  };
  if (!plan) {
    return html`<form class="danger-box" onSubmit=${send('plan', {}, setPlan)}>
      <label class="wide-label">
        ${t('limiters.new-policy')}
        <input class="mono" required maxlength="1000" value=${text} onInput=${(event) => setText(event.target.value)} />
      </label>
      <p class="muted">${t('limiters.policy-form')} <code>token-bucket 10/s burst 20</code></p>
      <${Failure} of=${failed} />
      <div class="buttons">
        <button type="button" onClick=${onBack}>${t('common.cancel')}</button>
        <button type="submit" class="primary" disabled=${busy || !fresh}>${t('limiters.compare')}</button>
      </div>
    </form>`;
  }
  const again = () => {
    setPlan(null);
    setAgreed(false);
    setFailed(null);
  };
  const growth =
    plan.growth === undefined
      ? t('limiters.large-unknown')
      : t('limiters.large', { n: number(Math.round(plan.growth)) });
  return html`<form class="danger-box" onSubmit=${send('change', { large: plan.large, reason }, onDone)}>
    <${Facts} rows=${[
      [t('limiters.before'), plan.before.map((each) => html`<div key=${each}><code>${each}</code></div>`)],
      [t('limiters.after'), html`<code>${plan.limits.join(' + ')}</code>`],
    ]} />
    <p class="muted">${t('limiters.change-what', { n: number(plan.processes) })}</p>
    <label class="wide-label">
      ${t('limiters.reason')}
      <input maxlength="200" value=${reason} onInput=${(event) => setReason(event.target.value)} />
    </label>
    ${
      plan.large &&
      html`<div role="alert">
        <p><${Badge} kind="bad">${t('severity.warning')}</${Badge}> ${growth}</p>
        <label class="check">
          <input type="checkbox" checked=${agreed} onChange=${(event) => setAgreed(event.target.checked)} />${' '}
          ${t('limiters.large-agreed')}
        </label>
      </div>`
    }
    <${Failure} of=${failed} />
    <div class="buttons">
      <button type="button" onClick=${again}>${t('limiters.edit')}</button>
      <button type="submit" class="primary" disabled=${busy || !fresh || (plan.large && !agreed)}>
        ${t('limiters.change-now')}
      </button>
    </div>
  </form>`;
}

const ASKED_MILLIS = 60000; // a process that follows the policy book has it long before

/** How many processes have the policy that was asked for. It is done when all have it. */
function Taken({ row, asked, now }) {
  const policy = row.policies.find(
    (each) => each.version === asked.version && each.limits.join() === asked.limits.join(),
  );
  const have = policy ? policy.processes : 0;
  const all = have === row.processes;
  const late = !all && now - asked.at > ASKED_MILLIS;
  const facts = { n: number(have), of: number(row.processes), version: asked.version };
  return html`<p role="status">
    <${Badge} kind=${all ? 'good' : late ? 'warn' : 'info'}>
      ${all ? t('common.done') : t('limiters.asked')}
    </${Badge}>${' '}
    ${t('limiters.have', facts)} ${late ? t('limiters.late') : ''}
  </p>`;
}

/** The versions in the policy book: who wrote them, when and why. */
function Book({ entries }) {
  return html`<h3>${t('limiters.book')}</h3>
    <ul class="line book">${entries.map(
      (each) =>
        html`<li key=${each.version}>
          <code>${visible(each.limits.join(' + '))}</code>${' '}
          <span class="muted">
            ${t('limiters.written', { n: each.version, at: moment(each.at), who: each.author })}
            ${each.reason && html`: <${Name}>${each.reason}</${Name}>`}
          </span>
        </li>`,
    )}</ul>`;
}

function LimiterDialog({ row, now, writes, fresh, onClose }) {
  const [changing, setChanging] = useState(null); // the policy that the form begins with
  const [asked, setAsked] = useState(null);
  const [entries, setEntries] = useState([]);
  const newest = Math.max(...row.policies.map((each) => each.version));
  useEffect(() => {
    const none = () => setEntries([]); // a store without a policy book
    get('limiters/history?name=' + encodeURIComponent(row.name)).then((book) => setEntries(book.entries), none);
  }, [row.name, newest, asked]);
  const begin = (policy) => () => {
    setAsked(null);
    setChanging(policy);
  };
  const calls = row.ok + row.no;
  const part = (n) => number(n) + (calls ? ' · ' + share(n / calls) : '');
  const most = Math.max(1e-9, ...row.hot.map((key) => key.rate));
  const title = html`${t('limiters.limiter')} <${Name}>${row.name}</${Name}>`;
  return html`<${Dialog} title=${title} onClose=${onClose} fresh=${fresh} wide>
    <h3>${t('limiters.policies')}</h3>
    <ul class="line">${row.policies.map(
      (each) =>
        html`<li key=${each.version + each.limits.join()}>
          <code>${visible(each.limits.join(' + '))}</code>${' '}
          <span class="muted">${t('limiters.version', { n: each.version })}, ${inProcesses(each, row)}</span>
        </li>`,
    )}</ul>
    ${asked && html`<${Taken} row=${row} asked=${asked} now=${now} />`}
    ${
      changing === null &&
      (writes
        ? html`<div class="buttons">
            ${
              asked &&
              asked.before.length === 1 &&
              html`<button type="button" disabled=${!fresh} onClick=${begin(asked.before[0])}>
                ${t('limiters.undo')}
              </button>`
            }
            <button type="button" disabled=${!fresh} onClick=${begin(row.policy)}>${t('limiters.change')}</button>
          </div>`
        : html`<p class="muted">${t('common.read-only-hint')}</p>`)
    }
    ${
      changing !== null &&
      html`<${Change}
        row=${row}
        first=${changing}
        fresh=${fresh}
        onBack=${() => setChanging(null)}
        onDone=${(answer) => {
          setAsked({ ...answer, at: now });
          setChanging(null);
        }}
      />`
    }
    ${entries.length > 0 && html`<${Book} entries=${entries} />`}
    <h3>${t('limiters.busiest')}</h3>
    ${
      row.hot.length
        ? html`<ul class="hot">
            ${row.hot.map(
              (key) =>
                html`<li key=${key.key}>
                  <${Name}>${key.key}</${Name}>
                  <${Bar} share=${key.rate / most} />
                  <span class="num">${perSecond(key.rate)}</span>
                </li>`,
            )}
          </ul>`
        : html`<p class="muted">${t('limiters.no-calls')}</p>`
    }
    <h3>${t('limiters.since-start')}</h3>
    <${Facts} rows=${[
      [t('limiters.admitted'), part(row.ok)],
      [t('limiters.refused'), part(row.no)],
      [t('limiters.trips'), number(row.trips)],
      [t('limiters.from-lease'), part(row.lease)],
      [t('limiters.from-memo'), part(row.memo)],
      [t('limiters.from-fallback'), row.away ? html`<${Badge} kind="warn">${part(row.away)}</${Badge}>` : '0'],
    ]} />
  </${Dialog}>`;
}

export function Limiters({ tick, history, theme, session, fresh, at }) {
  const columns = [
    { id: 'name', label: t('common.name'), cell: (row) => html`<${Name}>${row.name}</${Name}>` },
    {
      id: 'policy',
      wide: true,
      label: t('limiters.policy'),
      cell: (row) =>
        html`<code>${visible(row.policy)}</code>${
            row.policies.length > 1
              ? html` <${Badge} kind="warn">${t('limiters.policies-differ', { n: row.policies.length })}</${Badge}>`
              : ''
          }`,
    },
    {
      id: 'okRate',
      label: t('limiters.admitted'),
      num: true,
      cell: (row) => html`${rate(row.okRate)}<small> ${t('common.per-second')}</small>`,
    },
    {
      id: 'noRate',
      label: t('limiters.refused'),
      num: true,
      cell: (row) => html`${rate(row.noRate)}<small> ${t('common.per-second')}</small>`,
    },
    {
      id: 'refusedShare',
      wide: true,
      label: t('limiters.refused-share'),
      num: true,
      cell: (row) => html`<${Bar} share=${row.refusedShare} kind="bad" /> ${share(row.refusedShare)}`,
    },
    {
      id: 'hot',
      wide: true,
      label: t('limiters.busiest'),
      plain: true,
      cell: (row) =>
        row.hot.length
          ? html`<${Name}>${row.hot[0].key}</${Name}> <span class="muted">${perSecond(row.hot[0].rate)}</span>`
          : '–',
    },
    {
      id: 'spark',
      wide: true,
      label: t('chart.two-minutes'),
      plain: true,
      cell: (row) =>
        html`<${Spark}
          values=${history.series['limiter.ok/' + row.name]}
          label=${t('chart.of', { name: t('limiters.admitted') })}
        />`,
    },
    { id: 'processes', wide: true, label: t('fleet.title'), num: true, cell: (row) => number(row.processes) },
  ];
  const opened = [tick.opened, ...tick.limiters].find((row) => row && row.name === at.open);
  const close = () => go({ open: null }, true);
  return html`
    <${Past} at=${at} />
    <${Chart} at=${at} theme=${theme} history=${history} title=${t('chart.limits')} lines=${[
      { key: 'limits.admitted', label: t('limiters.admitted'), ink: '--ink1' },
      { key: 'limits.refused', label: t('limiters.refused'), ink: '--ink3', dash: [4, 3] },
    ]} />
    <${Panel} id="limiter-list" title=${t('nav.limiters')} note=${t('fleet.note')}>
      ${tick.fleetProblem && html`<p class="pad muted">${tick.fleetProblem}</p>`}
      <${Table} label=${t('nav.limiters')} columns=${columns} rows=${tick.limiters} rowKey=${(row) => row.name}
        onOpen=${(row) => go({ open: row.name })} find at=${at} of=${tick} first=${{ id: 'okRate', down: true }}
        empty=${html`<${NoProcesses} what=${t('limiters.none')} />`} />
    </${Panel}>
    ${
      opened &&
      html`<${LimiterDialog}
        key=${opened.name}
        row=${opened}
        now=${tick.at}
        writes=${session.writes}
        fresh=${fresh}
        onClose=${close}
      />`
    }
    ${at.open && !opened && tick.open === at.open && html`<${Gone} name=${at.open} onClose=${close} />`}`;
}
