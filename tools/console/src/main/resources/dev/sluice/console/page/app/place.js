// Where the reader is: #/locks?find=orders&open=orders%2F42. A page, a filter and a dialog each have an address.

/** The page's word, and what it is to show. */
export function place() {
  const [word, query] = location.hash.replace(/^#\//, '').split('?');
  return { word: word || 'overview', at: Object.fromEntries(new URLSearchParams(query || '')) };
}

/**
 * Changes what the page shows; null takes a value away. In place of this address, or after it, so that Back comes here.
 */
export function go(changes, instead) {
  const { word, at } = place();
  for (const [key, value] of Object.entries({ ...at, ...changes })) {
    if (value === null || value === '' || value === 0) delete at[key];
    else at[key] = String(value);
  }
  const query = new URLSearchParams(at).toString();
  const next = '#/' + word + (query ? '?' + query : '');
  if (next === location.hash) return;
  if (instead) {
    history.replaceState(null, '', next);
    dispatchEvent(new Event('hashchange'));
  } else {
    location.hash = next;
  }
}
