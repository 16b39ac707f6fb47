import { html, useEffect, useState } from '../../vendor/preact/standalone.module.js';
import { t, number, span, moment } from '../i18n.js';
import { Badge, Copy, Dialog, Empty, Facts, Failure, Gone, Name, Panel, Table, Who } from '../ui.js';
import { Chart, Past } from '../charts.js';
import { get, post } from '../api.js';
import { go } from '../place.js';

function Line({ line, waiting, units }) {
  if (!waiting) return html`<p class="muted">${t('locks.nobody-waits')}</p>`;
  return html`<ol class="line">
      ${line.map(
        (waiter) =>
          html`<li key=${waiter.client + waiter.attempt}>
            <${Who} client=${waiter.client} process=${waiter.process} />${' '}
            ${units ? html`<span class="muted">${t('locks.needs', { n: number(waiter.permits) })}</span>` : ''}
          </li>`,
      )}
    </ol>
    ${
      waiting > line.length &&
      html`<p class="muted">${t('locks.more-wait', { n: number(waiting - line.length) })}</p>`
    }`;
}

/** Of the holder that was there when it opened, whoever has the lock by now. */
function Release({ lock, target, fresh, onDone, onBack }) {
  const [failed, setFailed] = useState(null);
  const [busy, setBusy] = useState(false);
  async function release() {
    setBusy(true);
    setFailed(null);
    try {
      onDone(await post('locks/release', { name: lock.name, token: target.token }));
    } catch (problem) {
      setFailed(problem);
      setBusy(false);
    }
  }
  const there = lock.held && lock.token === target.token;
  return html`<div class="danger-box">
    <p>
      <${Who} client=${target.client} process=${target.process} /> ${t('locks.release-whom', { token: target.token })}
    </p>
    <p>${t('locks.release-what')}</p>
    <p class="muted">${t('locks.release-risk')}</p>
    ${
      !there &&
      html`<p role="status">
        <${Badge} kind="warn">${t('severity.warning')}</${Badge}>${' '}
        ${lock.held ? t('locks.release-moved') : t('locks.release-gone')}
      </p>`
    }
    <${Failure} of=${failed} />
    <div class="buttons">
      <button type="button" onClick=${onBack}>${t('common.cancel')}</button>
      <button type="button" class="danger" disabled=${busy || !there || !fresh} onClick=${release}>
        ${t('locks.release-now')}
      </button>
    </div>
  </div>`;
}

function LockDialog({ name, listed, now, writes, fresh, onClose }) {
  const [asked, setAsked] = useState(null);
  const [failed, setFailed] = useState(null);
  const [target, setTarget] = useState(null);
  const [done, setDone] = useState(null);
  useEffect(() => {
    if (!listed) get('lock?name=' + encodeURIComponent(name)).then(setAsked, setFailed);
  }, [name, !!listed]);
  const lock = listed || asked;
  const title = html`${t('locks.lock')} <${Name}>${name}</${Name}>`;
  return html`<${Dialog} title=${title} onClose=${onClose} fresh=${fresh} wide>
    <${Failure} of=${failed} />
    ${
      lock &&
      html`
        <${Facts}
          rows=${[
            [
              t('locks.state'),
              lock.held
                ? html`<${Badge} kind="good">${t('locks.held')}</${Badge}>`
                : html`<${Badge}>${t('locks.free')}</${Badge}>`,
            ],
            lock.held && [
              t('locks.holder'),
              html`<${Who} client=${lock.client} process=${lock.process} />${' '}
                <code class="muted">${lock.client}</code>`,
            ],
            lock.held && [t('locks.token'), html`<code>${lock.token}</code> <${Copy} text=${String(lock.token)} />`],
            lock.held && [
              t('fleet.since'),
              html`${moment(lock.since)}${' '}
                <span class="muted">${t('locks.for', { span: span(now - lock.since) })}</span>`,
            ],
            lock.held && [
              t('locks.left'),
              html`${span(lock.remaining)} <span class="muted">${t('locks.left-hint')}</span>`,
            ],
            [t('locks.last-token'), lock.lastToken ? html`<code>${lock.lastToken}</code>` : '–'],
            [t('locks.losses'), number(lock.losses)],
          ]}
        />
        <h3>${t('locks.line', { n: number(lock.waiting) })}</h3>
        <${Line} line=${lock.line} waiting=${lock.waiting} />
        ${
          done &&
          html`<p role="status">
            <${Badge} kind="good">${t('common.done')}</${Badge}>${' '}
            ${done.released ? t('locks.released', { fence: done.fence }) : t('locks.was-free')}
          </p>`
        }
        ${
          lock.held &&
          !target &&
          (writes
            ? html`<div class="buttons">
                <button
                  type="button"
                  class="danger"
                  disabled=${!fresh}
                  onClick=${() => {
                    setDone(null);
                    setTarget(lock);
                  }}
                >
                  ${t('locks.release')}
                </button>
              </div>`
            : html`<p class="muted">${t('common.read-only-hint')}</p>`)
        }
        ${
          target &&
          html`<${Release}
            lock=${lock}
            target=${target}
            fresh=${fresh}
            onBack=${() => setTarget(null)}
            onDone=${(answer) => {
              setDone(answer);
              setTarget(null);
            }}
          />`
        }
      `
    }
  </${Dialog}>`;
}

function PermitDialog({ row, now, fresh, onClose }) {
  const kind = row.readWrite ? t('locks.read-write') : t('locks.semaphore');
  const part = (holder) => {
    if (!row.readWrite) return t('locks.has', { n: number(holder.permits) });
    return holder.permits > 1 ? t('locks.writes') : t('locks.reads');
  };
  return html`<${Dialog} title=${html`${kind} <${Name}>${row.name}</${Name}>`} onClose=${onClose} fresh=${fresh} wide>
    <h3>${t('locks.holders', { n: number(row.holding) })}</h3>
    <ul class="line">${row.holders.map(
      (holder) =>
        html`<li key=${holder.client + holder.token}>
          <${Who} client=${holder.client} process=${holder.process} />${' '}
          <span class="muted">
            ${[
              part(holder),
              t('locks.for', { span: span(now - holder.since) }),
              t('locks.left') + ' ' + span(holder.remaining),
              t('locks.token') + ' ' + holder.token,
            ].join(', ')}
          </span>
        </li>`,
    )}</ul>
    <h3>${t('locks.line', { n: number(row.waiting) })}</h3>
    <${Line} line=${row.line} waiting=${row.waiting} units=${!row.readWrite} />
  </${Dialog}>`;
}

function LookUp({ onOpen }) {
  const [name, setName] = useState('');
  return html`<form
    class="look-up"
    onSubmit=${(event) => {
      event.preventDefault();
      if (name) onOpen(name);
    }}
  >
    <label
      >${t('common.name')} <input value=${name} maxlength="512" onInput=${(event) => setName(event.target.value)}
    /></label>
    <button type="submit">${t('locks.show')}</button>
  </form>`;
}

export function Locks({ tick, history, theme, session, fresh, at }) {
  const now = tick.at;
  const columns = [
    { id: 'name', label: t('common.name'), cell: (row) => html`<${Name}>${row.name}</${Name}>` },
    {
      id: 'held',
      num: false,
      label: t('locks.state'),
      cell: (row) =>
        row.held
          ? html`<${Badge} kind="good">${t('locks.held')}</${Badge}>`
          : html`<${Badge}>${t('locks.free')}</${Badge}>`,
    },
    {
      id: 'process',
      wide: true,
      label: t('locks.holder'),
      cell: (row) => (row.held ? html`<${Who} client=${row.client} process=${row.process} />` : '–'),
    },
    {
      id: 'since',
      wide: true,
      label: t('locks.age'),
      num: true,
      up: true,
      cell: (row) => (row.held ? html`<span title=${moment(row.since)}>${span(now - row.since)}</span>` : '–'),
    },
    {
      id: 'remaining',
      wide: true,
      label: t('locks.left'),
      hint: t('locks.left-hint'),
      num: true,
      cell: (row) => (row.held ? span(row.remaining) : '–'),
    },
    {
      id: 'lastToken',
      wide: true,
      label: t('locks.token'),
      hint: t('locks.token-hint'),
      num: true,
      cell: (row) => html`<code>${row.token || row.lastToken || '–'}</code>`,
    },
    {
      id: 'waiting',
      label: t('locks.waiting'),
      num: true,
      cell: (row) => (row.waiting ? html`<b>${number(row.waiting)}</b>` : '0'),
    },
    {
      id: 'losses',
      wide: true,
      label: t('locks.losses'),
      hint: t('locks.losses-hint'),
      num: true,
      cell: (row) => (row.losses ? html`<${Badge} kind="warn">${number(row.losses)}</${Badge}>` : '0'),
    },
  ];
  const permitColumns = [
    {
      id: 'name',
      label: t('common.name'),
      value: (row) => row.name,
      cell: (row) => html`<${Name}>${row.name}</${Name}>`,
    },
    {
      id: 'kind',
      wide: true,
      label: t('locks.kind'),
      value: (row) => String(row.readWrite),
      cell: (row) => (row.readWrite ? t('locks.read-write') : t('locks.semaphore')),
    },
    {
      id: 'used',
      label: t('locks.in-use'),
      num: true,
      value: (row) => row.capacity - row.available,
      cell: (row) =>
        row.readWrite
          ? row.holding === 0
            ? t('locks.free')
            : row.holders.some((h) => h.permits > 1)
              ? t('locks.written')
              : t('locks.read-by', { n: number(row.holding) })
          : number(row.capacity - row.available) + ' / ' + number(row.capacity),
    },
    {
      id: 'holding',
      wide: true,
      label: t('locks.holder'),
      num: true,
      value: (row) => row.holding,
      cell: (row) => number(row.holding),
    },
    {
      id: 'waiting',
      label: t('locks.waiting'),
      num: true,
      value: (row) => row.waiting,
      cell: (row) => number(row.waiting),
    },
  ];
  const opened = at.permits && tick.permits.find((row) => row.name === at.permits);
  const show = (name) => go({ open: name });
  const close = () => go({ permits: null }, true);
  return html`
    <${Past} at=${at} />
    <${Chart} at=${at} theme=${theme} history=${history} title=${t('nav.locks')} lines=${[
      { key: 'locks.held', label: t('overview.held'), ink: '--ink1' },
      { key: 'locks.waiting', label: t('locks.waiting'), ink: '--ink2', dash: [4, 3] },
    ]} />
    <${Panel} id="lock-list" title=${t('nav.locks')} note=${t('locks.note')}
      tools=${html`<${LookUp} onOpen=${show} />`}>
      <${Table} label=${t('nav.locks')} columns=${columns} rows=${tick.locks} rowKey=${(row) => row.name}
        onOpen=${(row) => show(row.name)} find at=${at} of=${tick} more=${tick.more}
        first=${{ id: 'waiting', down: true }}
        empty=${html`<${Empty} title=${t('locks.none')}>
          <p>${t('locks.none-how')}</p>
          <pre><code>${session.example}</code></pre>
          <${Copy} text=${session.example} />
        </${Empty}>`} />
    </${Panel}>
    ${
      tick.permitsKnown &&
      html`<${Panel} id="permit-list" title=${t('locks.permits')}>
        <${Table} label=${t('locks.permits')} columns=${permitColumns} rows=${tick.permits} rowKey=${(row) => row.name}
          onOpen=${(row) => go({ permits: row.name })} find=${(row) => row.name} more=${tick.permitsMore}
          at=${at} prefix="permits-"
          empty=${html`<${Empty} title=${t('locks.no-permits')}>
            <p class="muted">${t('locks.no-permits-how')}</p>
          </${Empty}>`} />
      </${Panel}>`
    }
    ${
      at.open &&
      html`<${LockDialog}
        key=${at.open}
        name=${at.open}
        listed=${[tick.opened, ...tick.locks].find((row) => row && row.name === at.open)}
        now=${now}
        writes=${session.writes}
        fresh=${fresh}
        onClose=${() => go({ open: null }, true)}
      />`
    }
    ${at.permits && !opened && html`<${Gone} name=${at.permits} onClose=${close} />`}
    ${opened && html`<${PermitDialog} row=${opened} now=${now} fresh=${fresh} onClose=${close} />`}`;
}
