// What the doctor finds, in the reader's language.

let known = {}; // by the kind of store and the finding's id; the English comes from the store

export async function speakOfFindings(code) {
  known = code === 'en' ? {} : await (await fetch('i18n/findings.' + code + '.json')).json();
}

/** What a finding says and what can go wrong, in the reader's language; null where only the store's words are known. */
export function finding({ id, where }) {
  const kind = /zookeeper/i.test(where) ? 'zookeeper' : /redis|valkey|memory/i.test(where) ? 'redis' : 'sql';
  const found = (known[kind] || {})[id] || (known.console || {})[id];
  return found ? { what: found[0], risk: found[1] } : null;
}
