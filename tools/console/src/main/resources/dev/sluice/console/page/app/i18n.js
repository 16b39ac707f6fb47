// Words, numbers and times in the reader's language.

export const languages = { en: 'English', 'zh-CN': '简体中文' };

let words = {};
let language = 'en';
let plain = new Intl.NumberFormat('en');
let fine = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
let exact;

export function preferred() {
  try {
    const chosen = localStorage.getItem('sluice.language');
    if (chosen in languages) return chosen;
  } catch (e) {
    // no storage: the browser's choice it is
  }
  return (navigator.languages || [navigator.language]).some((l) => l && l.toLowerCase().startsWith('zh'))
    ? 'zh-CN'
    : 'en';
}

export async function speak(code) {
  const response = await fetch('i18n/' + code + '.json');
  words = await response.json();
  language = code;
  plain = new Intl.NumberFormat(code);
  fine = new Intl.NumberFormat(code, { maximumFractionDigits: 2 });
  exact = new Intl.DateTimeFormat(code, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  });
  document.documentElement.lang = code;
  try {
    localStorage.setItem('sluice.language', code);
  } catch (e) {
    // it is forgotten with the page, then
  }
}

export const current = () => language;

export const knows = (key) => key in words;

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** Text of others without what hides, or turns the text around it. */
export const visible = (text) =>
  String(text).replace(hidden, (all) =>
    [...Array(all.length)].map((_, i) => '\\u' + all.charCodeAt(i).toString(16).padStart(4, '0')).join(''),
  );

/** A sentence by its key; {name} stands for a value. */
export function t(key, values) {
  const text = words[key];
  if (text === undefined) return key;
  return values ? text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? visible(values[name]) : all)) : text;
}

export const number = (n) => plain.format(n);

export function rate(n) {
  return n === 0 ? '0' : n < 10 ? fine.format(n) : plain.format(Math.round(n));
}

export function share(x) {
  const percent = x * 100;
  return (
    (percent !== 0 && percent < 0.1 ? percent.toPrecision(2) : fine.format(Math.round(percent * 10) / 10)) + ' %'
  );
}

export function bytes(bits) {
  let size = bits / 8;
  for (const unit of ['B', 'KB', 'MB', 'GB']) {
    if (size < 1024) return fine.format(Math.round(size * 10) / 10) + ' ' + unit;
    size /= 1024;
  }
  return fine.format(Math.round(size * 10) / 10) + ' TB';
}

/** A length of time, two units at most. */
export function span(millis) {
  const ms = Math.max(0, Math.round(millis));
  if (ms < 1000) return t('time.ms', { n: ms });
  const s = Math.floor(ms / 1000);
  if (s < 60) return t('time.s', { n: s < 10 ? fine.format(Math.floor(ms / 100) / 10) : s });
  const min = Math.floor(s / 60);
  if (min < 60) return t('time.min', { n: min }) + (s % 60 ? ' ' + t('time.s', { n: s % 60 }) : '');
  const h = Math.floor(min / 60);
  if (h < 24) return t('time.h', { n: h }) + (min % 60 ? ' ' + t('time.min', { n: min % 60 }) : '');
  return t('time.d', { n: Math.floor(h / 24) }) + (h % 24 ? ' ' + t('time.h', { n: h % 24 }) : '');
}

export function ago(then, now) {
  return now - then < 1000 ? t('time.now') : t('time.ago', { span: span(now - then) });
}

/** The time of a day: exactly and with its zone, or for an axis. */
export const clock = (millis, exactly) =>
  new Date(millis).toLocaleTimeString(language, {
    hour: '2-digit',
    minute: '2-digit',
    second: exactly ? '2-digit' : undefined,
    hourCycle: 'h23',
    timeZoneName: exactly ? 'short' : undefined,
  });

export const moment = (millis) => exact.format(new Date(millis));
