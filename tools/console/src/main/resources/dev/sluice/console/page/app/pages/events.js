import { html } from '../../vendor/preact/standalone.module.js';
import { t, knows, moment } from '../i18n.js';
import { go } from '../place.js';
import { Ago, Empty, Panel, Severity } from '../ui.js';

function sentence(event) {
  if (event.kind === 'audit') {
    const w = event.with;
    const what = knows('audit.' + w.what) ? t(`audit.${w.what}`) : w.what;
    return t('event.audit', { who: w.who, what, name: w.name ? '‘' + w.name + '’' : '', outcome: w.outcome });
  }
  return t(`event.${event.kind}`, event.with);
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
        </li>`,
    )}
  </ul>`;
}

export function Events({ tick, at }) {
  const severity = at.severity || 'all';
  const chosen = tick.events.filter((event) => severity === 'all' || event.severity === severity);
  return html`<${Panel} id="event-list" title=${t('nav.events')} note=${t('events.note')}>
    <div class="table-tools">
      <input type="search" placeholder=${t('common.find')} aria-label=${t('common.find')} value=${at.text || ''}
        onInput=${(event) => go({ text: event.target.value }, true)} />
      <label>${t('events.severity')}${' '}
        <select value=${severity} onChange=${(event) => go({ severity: event.target.value }, true)}>
          ${['all', 'info', 'warning', 'error'].map(
            (each) => html`<option key=${each} value=${each}>${t(`severity.${each}`)}</option>`,
          )}
        </select>
      </label>
    </div>
    <${Happenings} events=${chosen} now=${tick.at} text=${at.text} />
  </${Panel}>`;
}
