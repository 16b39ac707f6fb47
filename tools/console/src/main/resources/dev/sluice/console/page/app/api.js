// Talks to the console's server. All addresses are relative: the console may live under any path.

export class Problem extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

async function answer(response) {
  let body = {};
  try {
    body = await response.json();
  } catch (e) {
    // a proxy in between may answer anything
  }
  if (!response.ok)
    throw new Problem(response.status, body.error || 'no-answer', body.message || String(response.status));
  return body;
}

// The session belongs to this origin and path. A cookie would go to every port of the host.
const place = 'sluice.session:' + location.pathname;
let session = '';
try {
  session = localStorage.getItem(place) || '';
} catch (e) {
  // it lasts as long as the page, then
}

function keep(key) {
  session = key;
  try {
    localStorage.setItem(place, key);
  } catch (e) {
    // as above
  }
}

const ask = (path, settings) =>
  fetch('api/' + path, {
    credentials: 'same-origin',
    cache: 'no-store',
    ...settings,
    headers: { 'Sluice-Console': session, ...settings.headers },
  });

export const get = async (path) => answer(await ask(path, {}));

export const post = async (path, body) =>
  answer(
    await ask(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );

export const signIn = async (token) => keep((await post('login', { token })).session);

/** Reads events until the stream ends. */
async function read(view, signal, onBytes, onEvent) {
  const response = await ask('stream?' + new URLSearchParams({ ...view, changes: true }), { signal });
  if (!response.ok) await answer(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onBytes();
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, kind, data] = /^event: (\w+)\ndata: ([^\n]*)$/m.exec(text.slice(0, end)) || [];
      text = text.slice(end + 2);
      if (kind) onEvent(kind, JSON.parse(data));
    }
  }
}

const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A picture with what has changed in it, as Changes.java writes it down. */
function changed(old, changes) {
  const fresh = { ...old };
  for (const [key, value] of Object.entries(changes)) {
    if (key === '-') value.forEach((gone) => delete fresh[gone]);
    else if (isMap(value) && Array.isArray(old[key])) fresh[key] = rows(old[key], value);
    else fresh[key] = isMap(value) && isMap(old[key]) ? changed(old[key], value) : value;
  }
  return fresh;
}

function rows(old, changes) {
  const known = new Map(old.map((row) => [row.name, row]));
  return (changes.order || [...known.keys()]).map((name) =>
    Object.hasOwn(changes.rows, name) ? changed(known.get(name) || {}, changes.rows[name]) : known.get(name),
  );
}

const SILENCE = 20000; // the console says something every 15 s
const HIDDEN = 60000; // after which a tab that nobody sees gives its place back

/**
 * Watches a page, comes back when it was cut off, and rests while nobody sees it. onState gets live,
 * away, rests or signed-out, and what the console said against it. Answers what ends it.
 */
export function watch(view, { onHistory, onTick, onState }) {
  let resting = false;
  let picture;
  let stream; // the attempt in hand; none when all is over
  let again;
  let hidden;
  async function open() {
    const mine = (stream = new AbortController());
    let silence;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => mine.abort(), SILENCE);
    };
    let said;
    heard();
    try {
      await read(view, mine.signal, heard, (kind, data) => {
        if (stream !== mine) return;
        onState('live');
        if (kind === 'history') return onHistory(data);
        picture = kind === 'change' ? changed(picture, data) : data;
        onTick({ ...picture });
      });
    } catch (problem) {
      said = problem;
    }
    clearTimeout(silence);
    if (stream !== mine) return;
    if (said instanceof Problem && said.status === 401) {
      onState('signed-out');
    } else {
      onState('away', said instanceof Problem ? said : null);
      again = setTimeout(open, 2000);
    }
  }
  function stop() {
    clearTimeout(again);
    if (stream) stream.abort();
    stream = null;
  }
  function seen() {
    clearTimeout(hidden);
    if (document.hidden) {
      hidden = setTimeout(() => {
        resting = true;
        stop();
        onState('rests');
      }, HIDDEN);
    } else if (resting) {
      resting = false;
      open();
    }
  }
  document.addEventListener('visibilitychange', seen);
  open();
  return () => {
    document.removeEventListener('visibilitychange', seen);
    clearTimeout(hidden);
    stop();
  };
}
