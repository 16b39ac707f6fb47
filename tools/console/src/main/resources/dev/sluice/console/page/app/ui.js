// The parts that pages are made of.
import { html, useState, useEffect, useRef } from '../vendor/preact/standalone.module.js';
import { go } from './place.js';
import { t, ago, moment, knows, number, visible } from './i18n.js';

/** A word about a state: colour, and always the word itself. */
export function Badge({ kind, children }) {
  return html`<span class="badge ${kind || 'plain'}">${children}</span>`;
}

export function Severity({ of }) {
  const kind = of === 'error' ? 'bad' : of === 'warning' ? 'warn' : 'info';
  return html`<${Badge} kind=${kind}>${t(`severity.${of}`)}</${Badge}>`;
}

/** A moment, as people say it; the exact one when pointed at. */
export function Ago({ at, now }) {
  return html`<time datetime=${new Date(at).toISOString()} title=${moment(at)}>${ago(at, now)}</time>`;
}

export function Name({ children }) {
  return html`<span class="name" title=${visible(children)}>${visible(children)}</span>`;
}

/** Who: the name of a process where it is known, else the start of its id. */
export function Who({ client, process }) {
  if (client === '-') return html`<span class="muted">${t('locks.nobodys')}</span>`;
  return process
    ? html`<span title=${visible(client)}>${visible(process)}</span>`
    : html`<code title=${visible(client)}>${visible(client.slice(0, 8))}</code>`;
}

export function Panel({ title, note, tools, children, id }) {
  return html`<section class="panel" aria-labelledby=${id}>
    <header class="panel-head">
      <h2 id=${id}>${title}</h2>
      ${note && html`<span class="muted">${note}</span>`} ${tools && html`<span class="tools">${tools}</span>`}
    </header>
    ${children}
  </section>`;
}

/** Nothing to show, and what to do about it. */
export function Empty({ title, children }) {
  return html`<div class="empty">
    <p><strong>${title}</strong></p>
    ${children}
  </div>`;
}

export function Bar({ share, kind, label }) {
  const width = Math.max(0, Math.min(100, share * 100));
  return html`<span class="bar" title=${label}
    ><span class="bar-fill ${kind || ''}" style=${{ width: width + '%' }}></span
  ></span>`;
}

/** A copy button that says that it did. */
export function Copy({ text }) {
  const [done, setDone] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    } catch (e) {
      setDone(false);
    }
  }
  return html`<button type="button" class="small" onClick=${copy}>
    ${done ? t('common.copied') : t('common.copy')}
  </button>`;
}

const ROWS = 50; // of a screen, as the console cuts them

const shape = ({ num, wide }) => (num ? 'num ' : '') + (wide ? 'wide' : '');

const compare = (a, b) => (typeof a === 'string' ? a.localeCompare(b) : a - b);

/**
 * Rows as they were, while somebody points at them or works in them: nothing moves under the hand. A row that has left
 * the list keeps its place until then.
 */
function settled(rows, rowKey, before) {
  const now = new Map(rows.map((row) => [rowKey(row), row]));
  const known = new Set(before.map(rowKey));
  return before
    .map((row) => now.get(rowKey(row)) || row)
    .concat(rows.filter((row) => !known.has(rowKey(row))))
    .slice(0, Math.max(before.length, rows.length));
}

/**
 * A table that sorts and filters. Columns: {id, label, value (to sort by), cell, num, hint, up, plain, wide}. A wide
 * one is left out on a narrow screen, where the dialog of a row has it. The state stands in the address, `at`, under
 * names with this prefix. With `of` ({found, all, from, view}), rows come sorted and cut from the console, and the id
 * of a column is the name of the field to sort by. onOpen(row) makes the first cell a button.
 */
export function Table({ label, columns, rows, rowKey, onOpen, find, more, first, empty, at, prefix, of }) {
  const called = (key) => (prefix || '') + key;
  const state = { find: at[called('find')], sort: at[called('sort')], down: at[called('down')] };
  const change = (changes) =>
    go(Object.fromEntries(Object.entries(changes).map(([key, value]) => [called(key), value])), true);
  const text = state.find || '';
  const [typed, setTyped] = useState(text);
  const sent = useRef(text);
  const [held, setHeld] = useState(false);
  const seen = useRef({ rows: [] });
  const by = columns.find((column) => column.id === (state.sort || (first || {}).id)) || columns[0];
  const down = state.sort ? state.down === 'true' : !!(first || {}).down;
  useEffect(() => {
    const later = setTimeout(
      () => {
        if (typed === text) return;
        sent.current = typed;
        change({ find: typed, from: null });
      },
      of ? 250 : 0,
    );
    return () => clearTimeout(later);
  }, [typed]);
  useEffect(() => {
    if (text !== sent.current) setTyped(text); // another address, not what was typed here
    sent.current = text;
  }, [text]);
  const wanted = text.trim().toLowerCase();
  const fresh = of
    ? rows
    : rows
        .filter((row) => !wanted || find(row).toLowerCase().includes(wanted))
        .sort((a, b) => (down ? -1 : 1) * compare(by.value(a), by.value(b)) || compare(rowKey(a), rowKey(b)));
  const view = of ? of.view : JSON.stringify([text, by.id, down]);
  const shown = held && seen.current.view === view ? settled(fresh, rowKey, seen.current.rows) : fresh;
  seen.current = { view, rows: shown };
  const there = new Set(fresh.map(rowKey));
  function sort(column) {
    const other = column.id === by.id ? !down : !!column.num && !column.up;
    change({ sort: column.id, down: other ? 'true' : 'false', from: null });
  }
  const all = of ? of.all : rows.length;
  const found = of ? of.found : fresh.length;
  if (!all && empty) return empty;
  const hand = {
    onPointerEnter: () => setHeld(true),
    onPointerLeave: () => setHeld(false),
    onFocusIn: () => setHeld(true),
    onFocusOut: () => setHeld(false),
  };
  return html`<div>
    ${
      find &&
      html`<div class="table-tools">
        <input
          type="search"
          placeholder=${t('common.find')}
          aria-label=${t('common.find')}
          value=${typed}
          maxlength="512"
          onInput=${(event) => setTyped(event.target.value)}
        />
        <span class="muted" role="status"
          >${
            wanted
              ? t('common.found', { n: number(found), of: number(all) })
              : more
                ? t('common.first', { n: number(all) })
                : t('common.all', { n: number(all) })
          }</span
        >
        ${
          of &&
          found > rows.length &&
          html`<span class="pager">
            <button type="button" disabled=${!of.from} onClick=${() => change({ from: Math.max(0, of.from - ROWS) })}>
              ${t('common.before')}
            </button>
            ${t('common.rows', { from: number(of.from + 1), to: number(of.from + rows.length) })}
            <button
              type="button"
              disabled=${of.from + rows.length >= found}
              onClick=${() => change({ from: of.from + ROWS })}
            >
              ${t('common.after')}
            </button></span
          >`
        }
      </div>`
    }
    <div class="scroll" tabindex="0" role="group" aria-label=${label}>
      <table>
        <thead>
          <tr>
            ${columns.map(
              (column) =>
                html` <th
                  key=${column.id}
                  scope="col"
                  class=${shape(column)}
                  title=${column.hint}
                  aria-sort=${column.id === by.id ? (down ? 'descending' : 'ascending') : null}
                >
                  ${
                    column.plain
                      ? column.label
                      : html`<button type="button" class="sort" onClick=${() => sort(column)}>
                          ${column.label}<span aria-hidden="true" class="arrow"
                            >${column.id === by.id ? (down ? '▾' : '▴') : ''}</span
                          >
                        </button>`
                  }
                </th>`,
            )}
          </tr>
        </thead>
        <tbody ...${hand}>
          ${shown.map(
            (row) =>
              html` <tr
                key=${rowKey(row)}
                class=${(onOpen ? 'opens ' : '') + (there.has(rowKey(row)) ? '' : 'old')}
                title=${there.has(rowKey(row)) ? null : t('common.left')}
                onClick=${onOpen ? () => onOpen(row) : null}
              >
                ${columns.map(
                  (column, i) =>
                    html`<td key=${column.id} class=${shape(column)}>
                      ${
                        i === 0 && onOpen
                          ? html`<button
                              type="button"
                              class="link"
                              onClick=${(event) => {
                                event.stopPropagation();
                                onOpen(row);
                              }}
                            >
                              ${column.cell(row)}
                            </button>`
                          : column.cell(row)
                      }
                    </td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
      ${!shown.length && html`<p class="muted pad">${t('common.nothing')}</p>`}
    </div>
  </div>`;
}

// As soon as it is there: a key pressed before it is open would go past it.
const show = (dialog) => {
  if (dialog) dialog.showModal();
};

/** A dialog of the browser's own: it keeps the focus inside, and Escape closes it. It hides how old the page is. */
export function Dialog({ title, onClose, children, wide, fresh = true }) {
  const [before] = useState(document.activeElement);
  useEffect(
    () => () => {
      if (before && before.isConnected) before.focus();
    },
    [],
  );
  return html`<dialog
    ref=${show}
    class=${wide ? 'wide' : ''}
    aria-labelledby="dialog-title"
    onClose=${onClose}
    onClick=${(event) => {
      if (event.target === event.currentTarget) onClose();
    }}
  >
    <div class="dialog-body">
      <header class="dialog-head">
        <h2 id="dialog-title">${title}</h2>
        ${!fresh && html`<span role="status"><${Badge} kind="bad">${t('state.old')}</${Badge}></span>`}
        <button type="button" class="small" aria-label=${t('common.close')} onClick=${onClose}>✕</button>
      </header>
      ${children}
    </div>
  </dialog>`;
}

/** At the address of something that is not there, or no longer. */
export function Gone({ name, onClose }) {
  return html`<${Dialog} title=${html`<${Name}>${name}</${Name}>`} onClose=${onClose}>
    <p role="status">${t('common.gone')}</p>
  </${Dialog}>`;
}

/** Label and value, one under the other. */
export function Facts({ rows }) {
  return html`<dl class="facts">
    ${rows.filter(Boolean).map(
      ([label, value]) =>
        html`<div key=${label}>
          <dt>${label}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** What the server said against it, in the reader's words where we have them. */
export function explain(problem) {
  return knows('error.' + problem.code) ? t(`error.${problem.code}`) : problem.message;
}

export function Failure({ of }) {
  return of
    ? html`<p class="failure" role="alert"><${Badge} kind="bad">${t('severity.error')}</${Badge}> ${explain(of)}${
        of.code === 'bad-input' ? ' ' + of.message : ''
      }</p>`
    : null;
}

/** One sentence for people; the driver's text for who asks for it. */
export function StoreAway({ problem }) {
  return html`<div class="failure" role="alert">
    <${Badge} kind="bad">${t('state.store-away')}</${Badge}> ${t('error.store-away')}
    <details><summary>${t('common.details')}</summary><code>${problem}</code></details></div>`;
}
