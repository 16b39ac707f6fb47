import { html } from '../../vendor/preact/standalone.module.js';
import { finding } from '../findings.js';
import { t, knows, moment, number } from '../i18n.js';
import { go } from '../place.js';
import { Ago, Badge, Empty, Panel, Severity } from '../ui.js';

/** How a change ended, "refused: why": the first word is one of four. */
function outcome(text) {
  const [, word, why] = /^(\w+)(?:: (.*))?$/s.exec(text) || [];
  if (!knows('outcome.' + word)) return text;
  const ended = t(`outcome.${word}`);
  return why ? t('event.outcome', { ended, why }) : ended;
}

function sentence(event) {
  if (event.kind === 'audit') {
    const w = event.with;
    const what = knows('audit.' + w.what) ? t(`audit.${w.what}`) : w.what;
    const name = w.name ? t('event.audit-name', { name: w.name }) : '';
    return t('event.audit', { who: w.who, what, name, outcome: outcome(w.outcome) });
  }
  const said = event.kind === 'finding.new' && finding({ id: event.with.id, where: event.with.where || '' });
  return t(`event.${event.kind}`, said ? { ...event.with, what: said.what } : event.with);
}

export function Happenings({ events, now, text }) {
  const wanted = (text || '').trim().toLowerCase();
  const shown = events
    .map((event) => [event, sentence(event)])
    .filter(([, said]) => !wanted || said.toLowerCase().includes(wanted));
  if (!shown.length)
    return html`<${Empty} title=${t('events.none')}><p class="muted">${t('events.none-how')}</p></${Empty}>`;
  return html`<ul class="events">
    ${shown.map(
      ([event, said]) =>
        html`<li key=${event.id}>
          <span class="when"><${Ago} at=${event.at} now=${now} /></span> <${Severity} of=${event.severity} />${' '}
          <span title=${moment(event.at)}>${said}</span>
          ${event.times > 1 && html`${' '}<${Badge}>${t('events.times', { n: number(event.times) })}</${Badge}>`}
        </li>`,
    )}
  </ul>`;
}

const SEVERITIES = ['all', 'info', 'warning', 'error'];
const KINDS = ['all', 'audit', 'lock', 'cache', 'finding', 'process', 'store'];

/** A choice that stands in the address; one that is unknown is as none. */
function Choice({ label, name, of, at, text }) {
  return html`<label>
    ${label}${' '}
    <select value=${of.includes(at[name]) ? at[name] : 'all'}
      onChange=${(event) => go({ [name]: event.target.value === 'all' ? null : event.target.value }, true)}>
      ${of.map((each) => html`<option key=${each} value=${each}>${text(each)}</option>`)}
    </select>
  </label>`;
}

export function Events({ tick, at }) {
  const is = (chosen, known, value) => !known.includes(chosen) || chosen === 'all' || chosen === value;
  const chosen = tick.events.filter(
    (event) => is(at.severity, SEVERITIES, event.severity) && is(at.kind, KINDS, event.kind.split('.')[0]),
  );
  return html`<${Panel} id="event-list" title=${t('nav.events')} note=${t('events.note')}>
    <div class="table-tools">
      <input type="search" placeholder=${t('common.find')} aria-label=${t('common.find')} value=${at.text || ''}
        onInput=${(event) => go({ text: event.target.value }, true)} />
      <${Choice} label=${t('events.kind')} name="kind" of=${KINDS} at=${at}
        text=${(each) => t(`events.kind-${each}`)} />
      <${Choice} label=${t('events.severity')} name="severity" of=${SEVERITIES} at=${at}
        text=${(each) => t(`severity.${each}`)} />
    </div>
    <${Happenings} events=${chosen} now=${tick.at} text=${at.text} />
  </${Panel}>`;
}
