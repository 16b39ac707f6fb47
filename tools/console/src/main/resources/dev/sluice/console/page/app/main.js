import { html, render, useEffect, useRef, useState } from '../vendor/preact/standalone.module.js';
import { get, post, signIn, watch } from './api.js';
import { speakOfFindings } from './findings.js';
import { current, languages, preferred, speak, t, number, span } from './i18n.js';
import { place } from './place.js';
import { Badge, Failure, StoreAway } from './ui.js';
import { extend, nothing } from './charts.js';
import { Overview } from './pages/overview.js';
import { Locks } from './pages/locks.js';
import { Limiters } from './pages/limiters.js';
import { Filters } from './pages/filters.js';
import { Caches } from './pages/caches.js';
import { Inventory } from './pages/inventory.js';
import { Events } from './pages/events.js';

const pages = {
  overview: Overview,
  locks: Locks,
  limiters: Limiters,
  filters: Filters,
  caches: Caches,
  inventory: Inventory,
  events: Events,
};

const OLD = 5000; // figures that are older than this are shown as old

const systemTheme = matchMedia('(prefers-color-scheme: dark)');
const shownTheme = () => document.documentElement.dataset.theme || (systemTheme.matches ? 'dark' : 'light');

const speakAll = (code) => Promise.all([speak(code), speakOfFindings(code)]);

function Switches({ language, setLanguage, theme, setTheme }) {
  function turn() {
    const next = theme === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem('sluice.theme', next);
    } catch (e) {
      // it is forgotten with the page, then
    }
    setTheme(next);
  }
  return html`<div class="switches">
    <label
      ><span class="hidden">${t('common.language')}</span>
      <select id="language" value=${language} onChange=${(event) => setLanguage(event.target.value)}>
        ${Object.entries(languages).map(
          ([code, name]) => html`<option key=${code} value=${code} lang=${code}>${name}</option>`,
        )}
      </select></label
    >
    <button type="button" id="theme" onClick=${turn}>
      ${theme === 'dark' ? t('common.light') : t('common.dark')}
    </button>
  </div>`;
}

function SignIn({ onDone, switches, refused }) {
  const [token, setToken] = useState('');
  const [failed, setFailed] = useState(refused);
  async function send(event) {
    event.preventDefault();
    setFailed(null);
    try {
      await signIn(token);
      onDone();
    } catch (problem) {
      setFailed(problem);
    }
  }
  return html`<main class="sign-in">
    <form class="panel" onSubmit=${send}>
      <h1><img src="icon.svg" alt="" width="28" height="28" /> Sluice</h1>
      <p>${t('sign-in.why')}</p>
      <label
        >${t('sign-in.token')}
        <input
          type="password"
          name="token"
          autocomplete="current-password"
          required
          value=${token}
          onInput=${(event) => setToken(event.target.value)}
      /></label>
      <${Failure} of=${failed} />
      <button type="submit" class="primary">${t('sign-in.now')}</button>
      ${switches}
    </form>
  </main>`;
}

function Shell({ session, page, at, theme, switches, language, onSignOut, refresh }) {
  const [newest, setTick] = useState(null);
  const [history, setHistory] = useState(nothing);
  const [state, setState] = useState('connecting');
  const [against, setAgainst] = useState(null);
  const [clock, setClock] = useState(performance.now());
  const heading = useRef(null);
  const first = useRef(true);
  const view = { page };
  for (const key of ['find', 'sort', 'down', 'from', 'open']) if (at[key]) view[key] = at[key];
  useEffect(() => {
    setTick(null);
    setHistory(nothing);
    setState('connecting');
    if (!first.current && heading.current) heading.current.focus();
    first.current = false;
  }, [page]);
  useEffect(() => {
    return watch(view, {
      onHistory: setHistory,
      onTick: (fresh) => {
        fresh.came = performance.now();
        fresh.view = JSON.stringify({ ...view, open: null }); // what it is a picture of
        setTick(fresh);
        setHistory((old) => extend(old, fresh));
      },
      onState: (now, problem) => {
        if (now === 'signed-out') return refresh();
        setState(now);
        setAgainst(problem);
      },
    });
  }, [page, JSON.stringify(view)]);
  useEffect(() => {
    const beat = setInterval(() => setClock(performance.now()), 1000);
    return () => clearInterval(beat);
  }, []);
  useEffect(() => {
    document.title = t(`nav.${page}`) + ' · Sluice';
  }, [page, language]);
  const Page = pages[page];
  const tick = newest && newest.page === page ? newest : null; // not that of the page before
  const age = tick ? tick.at - tick.lookedAt + Math.max(0, clock - tick.came) : 0;
  const fresh = state === 'live' && tick && tick.reachable && age < OLD;
  return html` <a
      class="skip"
      href="#main"
      onClick=${(event) => {
        event.preventDefault();
        heading.current.focus();
      }}
      >${t('common.skip')}</a
    >
    <nav aria-label=${t('nav.label')}>
      <p class="brand"><img src="icon.svg" alt="" width="24" height="24" /> Sluice</p>
      <ul>
        ${Object.keys(pages).map(
          (each) =>
            html`<li key=${each}>
              <a href=${'#/' + each} aria-current=${each === page ? 'page' : null}>${t(`nav.${each}`)}</a>
            </li>`,
        )}
      </ul>
      <div class="nav-foot">
        <p>
          <${Badge} kind=${session.writes ? 'warn' : ''}>
            ${session.writes ? t('common.writes-on') : t('common.read-only')}
          </${Badge}>
        </p>
        ${switches}
        <button type="button" onClick=${onSignOut}>${t('sign-in.out')}</button>
      </div>
    </nav>
    <main id="main">
      <header class="top">
        <h1 ref=${heading} tabindex="-1">${t(`nav.${page}`)}</h1>
        <span class="store" title=${session.store}>${session.store}</span>
        <span class="state" role="status">
          ${
            fresh
              ? html`<${Badge} kind="good">${t('state.live')}</${Badge}>`
              : state === 'live' && tick && !tick.reachable
                ? html`<${Badge} kind="bad">${t('state.store-away')}</${Badge}>`
                : state === 'away' || (state === 'live' && tick)
                  ? html`<${Badge} kind="bad">${t('state.away')}</${Badge}>`
                  : state === 'rests'
                    ? html`<${Badge}>${t('state.rests')}</${Badge}>`
                    : html`<${Badge} kind="info">${t('state.connecting')}</${Badge}>`
          }
          ${tick && !fresh && html`<b>${t('state.age', { span: span(age) })}</b>`}
          ${tick && html`<span class="muted">${t('state.processes', { n: number(tick.processes) })}</span>`}
        </span>
      </header>
      ${state === 'away' && html`<${Failure} of=${against} />`}
      ${tick && !tick.reachable && html`<${StoreAway} problem=${tick.problem} />`}
      ${
        tick
          ? html`<div class=${fresh ? '' : 'old'}>
              <${Page} tick=${tick} history=${history} theme=${theme} session=${session} fresh=${fresh} at=${at} />
            </div>`
          : html`<p class="muted pad">${t('state.connecting')}</p>`
      }
    </main>`;
}

/** At an address without a page. */
function Nowhere({ language }) {
  useEffect(() => {
    document.title = t('nav.nowhere') + ' · Sluice';
  }, [language]);
  return html`<main class="sign-in">
    <div class="panel pad">
      <h1>${t('nav.nowhere')}</h1>
      <p><a href="#/overview">${t('nav.overview')}</a></p>
    </div>
  </main>`;
}

function App() {
  const [session, setSession] = useState(null);
  const [failed, setFailed] = useState(null);
  const [where, setWhere] = useState(place());
  const [language, setLanguage] = useState(current());
  const [theme, setTheme] = useState(shownTheme());
  const refresh = () =>
    get('session').then((now) => {
      setFailed(null);
      setSession(now);
    }, setFailed);
  useEffect(() => {
    refresh();
    const moved = () => setWhere(place());
    const dimmed = () => setTheme(shownTheme());
    addEventListener('hashchange', moved);
    systemTheme.addEventListener('change', dimmed);
    return () => {
      removeEventListener('hashchange', moved);
      systemTheme.removeEventListener('change', dimmed);
    };
  }, []);
  const switches = html`<${Switches}
    language=${language}
    theme=${theme}
    setTheme=${setTheme}
    setLanguage=${(code) => speakAll(code).then(() => setLanguage(code))}
  />`;
  if (failed)
    return html`<main class="sign-in">
      <div class="panel">
        <${Failure} of=${failed} /><button type="button" onClick=${refresh}>${t('common.again')}</button>
      </div>
    </main>`;
  if (!session) return html`<p class="muted pad">${t('state.connecting')}</p>`;
  if (!session.signedIn) return html`<${SignIn} onDone=${refresh} switches=${switches} refused=${refused} />`;
  const signOut = () => post('logout', {}).then(refresh, setFailed);
  if (!(where.word in pages)) return html`<${Nowhere} language=${language} />`;
  return html`<${Shell}
    session=${session}
    page=${where.word}
    at=${where.at}
    theme=${theme}
    switches=${switches}
    language=${language}
    onSignOut=${signOut}
    refresh=${refresh}
  />`;
}

/** The address that the console prints ends with its token. */
async function follow() {
  const [, token] = /^#token=(.+)$/.exec(location.hash) || [];
  if (!token) return null;
  history.replaceState(null, '', location.pathname); // not to be seen or kept as a bookmark
  return signIn(token).then(
    () => null,
    (problem) => problem,
  );
}

await speakAll(preferred());
const refused = await follow();
const root = document.getElementById('app');
root.textContent = '';
render(html`<${App} />`, root);
