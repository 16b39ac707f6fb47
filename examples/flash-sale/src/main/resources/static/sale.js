// Shows what the server sends on /events and asks it for buyers. The server keeps all that is shown; the page
// keeps the language, what stands in the form, and the order of whoever looks at it.

import { current, languages, number as digits, preferred, speak, t } from './i18n.js'
import { showcase } from './showcase.js'

// the statements of each, which are the same in every language
const strategies = {
  none: `n = SELECT units_left
if (n > 0) {
  UPDATE … units_left = n - 1
  INSERT order
}`,
  atomic: `if (left.sum() > 0) {
  left.decrement()
  UPDATE … units_left - 1
  INSERT order
}`,
  lock: `try (Lease l = lock.acquire(wait)) {
  UPDATE … units_left - 1, fence = :t
    WHERE units_left > 0
      AND fence <= :t    // l.token()
  INSERT order, t }`,
  optimistic: `v, n = SELECT version, units_left
UPDATE … units_left - 1, version + 1
  WHERE version = :v   // else again
INSERT order`,
  pessimistic: `BEGIN
SELECT units_left … FOR UPDATE
UPDATE … units_left - 1
INSERT order
COMMIT`,
  conditional: `BEGIN
INSERT order
UPDATE … units_left - 1
  WHERE units_left > 0  // 0 rows: none
COMMIT`,
  inventory: `stock.claim(buyer, 1, request)
              // “queued”
stock.drain(options, batch -> {
  INSERT orders (…), (…), (…)
  UPDATE … units_left - :n })
              // “ordered”`,
}

const ABSENT = 2000
const names = Object.keys(strategies)
const byId = id => document.getElementById(id)
const number = n => digits(Math.round(n))
const millis = n => n < 10 ? `${n.toFixed(1)} ms` : n < 1000 ? `${Math.round(n)} ms` : `${(n / 1000).toFixed(1)} s`
const colour = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim()

const cards = Object.fromEntries(names.map(name => [name, makeCard(name)]))

function makeCard(name) {
  const card = byId('card').content.firstElementChild.cloneNode(true)
  card.dataset.strategy = name
  const set = (selector, text) => { card.querySelector(selector).textContent = text }
  card.querySelector('.title').dataset.text = name
  card.querySelector('.idea').dataset.text = `${name}.idea`
  set('.path', `/sale/${name}`)
  set('.code', strategies[name])
  card.querySelector('button').addEventListener('click', () => start(`/load/${name}`))
  byId('cards').append(card)
  return card
}

// --- charts ---

function chart(id, extra) {
  const place = byId(id)
  const axis = {
    stroke: () => colour('soft'), grid: { stroke: () => colour('line'), width: 1 }, ticks: { show: false },
  }
  const line = name => ({ stroke: () => colour(name), width: 2.5, spanGaps: true, points: { show: false } })
  const plot = new uPlot({
    width: place.clientWidth,
    height: 230,
    legend: { live: false },
    scales: { x: { time: false }, y: { range: (u, low, high) => [0, Math.max(10, high || 0) * 1.08] } },
    axes: [
      { ...axis, values: (u, ticks) => ticks.map(tick => `${tick} s`) },
      { ...axis, size: 62, values: (u, ticks) => ticks.map(number) },
    ],
    series: [{}, ...names.map(line), ...extra.map(name => ({ ...line(name), width: 1.5, dash: [6, 5] }))],
  }, [[0], ...names.map(() => [null]), ...extra.map(() => [null])], place)
  new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: 230 })).observe(place)
  return plot
}

const soldChart = chart('soldChart', ['stock'])
const rateChart = chart('rateChart', [])

function nameCurves() {
  const labels = [...names.map(name => t(name)), t('chart.stock')]
  for (const plot of [soldChart, rateChart]) {
    plot.root.querySelectorAll('.u-legend .u-label').forEach((place, i) => { place.textContent = labels[i] })
  }
}

/** Until the last unit is sold: what comes after that is no sale. */
function rates(curve) {
  const end = curve.findLastIndex((point, i) => i > 0 && point.sold > curve[i - 1].sold)
  const points = curve.slice(0, end + 1)
  return [
    points.map(point => point.at),
    points.map((point, i) => i && (point.sold - points[i - 1].sold) / Math.max(0.01, point.at - points[i - 1].at)),
  ]
}

function drawCurves(sales) {
  const curves = names.map(name => sales[name].load?.curve ?? [])
  const sold = uPlot.join(curves.map(curve => [curve.map(point => point.at), curve.map(point => point.sold)]))
  soldChart.setData([...sold, sold[0].map(() => sales.lock.detail.stock)])
  rateChart.setData(uPlot.join(curves.map(rates)))
}

// --- figures ---

const counts = values => Object.fromEntries(Object.entries(values).map(([name, n]) => [name, number(n)]))

const told = (kind, key, headline, note, noteKey = `${key}.note`) =>
  [kind, t(`verdict.${key}`, counts(headline)), t(`verdict.${noteKey}`, counts(note))]

/** What the crowd bought: that stays, whatever comes back later. */
function bought(name, { detail, load }, stages) {
  return name === 'inventory' && stages && load?.result
    ? Math.max(detail.sold, Math.min(detail.stock, stages.admitted))
    : detail.sold
}

function verdict(name, line, stages) {
  const { detail: { stock, oversold }, load } = line
  const sold = bought(name, line, stages)
  if (oversold > 0) return told('bad', 'oversold', { n: oversold }, { sold, stock })
  if (load?.running) return told('', 'selling', {}, { n: load.answers.requests, of: load.requests })
  if (!sold) return told('', 'unsold', {}, { n: stock })
  const asked = load ? load.answers.requests - load.answers.refused : 0
  if (sold < stock && asked >= stock) return told('bad', 'undersold', { n: stock - sold }, { n: asked })
  if (sold < stock) return told('', 'some', { n: sold }, { n: stock - sold })
  if (name !== 'inventory' || !stages) return told('good', 'exact', { n: sold }, {})
  return told('good', 'exact', { n: sold }, stages, stages.returned ? 'kept' : 'paying')
}

function show(name, line, stages) {
  const card = cards[name]
  const { detail, load } = line
  const answers = load ? load.answers : detail.answered
  const [kind, headline, note] = verdict(name, line, stages)
  const box = card.querySelector('.verdict')
  box.className = `verdict ${kind}`
  box.querySelector('strong').textContent = headline
  box.querySelector('span').textContent = note
  const sold = bought(name, line, stages)
  const rate = (load?.result ?? detail).ordersPerSecond
  const values = {
    sold: number(sold),
    oversold: number(detail.oversold),
    rate: rate ? number(rate) : '–',
    p50: answers.sold ? millis(answers.p50Millis) : '–',
    p99: answers.sold ? millis(answers.p99Millis) : '–',
    failed: number(answers.failed),
    refused: number(answers.refused),
  }
  for (const [of, text] of Object.entries(values)) card.querySelector(`[data-of=${of}]`).textContent = text
  card.querySelector('[data-of=refused]').parentElement.hidden = !answers.refused
  const whole = Math.max(detail.stock, sold, 1)
  card.querySelector('.within').style.width = `${100 * Math.min(sold, detail.stock) / whole}%`
  card.querySelector('.over').style.width = `${100 * detail.oversold / whole}%`
  const ports = Object.entries(detail.soldBy)
    .filter(([url]) => url)
    .map(([url, count]) => `${new URL(url).port}: ${number(count)}`)
    .join('  ·  ')
  card.querySelector('.by').textContent = ports && t('card.by', { ports })
}

let latest

function update(event) {
  latest = event
  const n = event.instances.length
  byId('setting').textContent = t(n === 1 ? 'setting.one' : 'setting.many', { n, store: event.store })
    + (event.workMillis ? t('setting.work', { ms: event.workMillis }) : '')
    + (event.roundTripMillis ? t('setting.far', { ms: event.roundTripMillis }) : '')
  for (const name of names) show(name, event.sales[name], event.stages)
  drawCurves(event.sales)
  showCatalogue(event.catalogue)
  showStages(event.stages)
  showcase(event)
  const { busy, failure } = event.load
  byId('all').disabled = busy
  byId('stop').disabled = !busy
  for (const name of names) cards[name].querySelector('button').disabled = busy
  if (failure) say(t('failed.load', { reason: failure }))
}

function showStages(stages) {
  if (!stages) return
  const values = {
    ...counts(stages),
    left: `${number(stages.storeLeft)} / ${number(stages.left)}`,
    lag: millis(stages.lagMillis),
  }
  for (const place of document.querySelectorAll('.stages [data-of]')) place.textContent = values[place.dataset.of]
}

function showCatalogue(figures) {
  for (const [of, count] of Object.entries(figures)) {
    document.querySelector(`.catalogue [data-of=${of}]`).textContent = number(count)
  }
}

// --- the form ---

const KEPT = 'sale.form'
const fields = [...byId('controls').querySelectorAll('input')]

/** What is typed stays through a reload. */
function keep() {
  sessionStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(new FormData(byId('controls')))))
}

for (const [name, value] of Object.entries(JSON.parse(sessionStorage.getItem(KEPT) ?? '{}'))) {
  byId('controls').elements[name].value = value
}

/** Says beside each field what is wrong with it. */
function isGood(field) {
  const text = field.value.trim()
  const good = /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= Number(field.dataset.most)
  field.setAttribute('aria-invalid', !good)
  field.parentElement.querySelector('small').textContent =
    good ? '' : t('form.wrong', { least: 1, most: number(field.dataset.most) })
  return good
}

// --- actions ---

async function start(address) {
  if (fields.filter(field => !isGood(field)).length) return
  say('')
  const numbers = fields.map(field => [field.name, field.value.trim()])
  try {
    const answer = await fetch(`${address}?${new URLSearchParams(numbers)}`, { method: 'POST' })
    if (!answer.ok) say((await answer.json()).reason ?? t('failed.status', answer))
  } catch {
    say(t('failed.silent'))
  }
}

async function attack(guarded) {
  const buttons = [byId('absent'), byId('unguarded')]
  const outcome = byId('attack')
  buttons.forEach(button => { button.disabled = true })
  try {
    const answer = await fetch(`/product/absent?ids=${ABSENT}&guarded=${guarded}`, { method: 'POST' })
    const { ids, queries, millis: took, reason } = await answer.json()
    const values = { ids: number(ids), n: number(queries), span: millis(took) }
    outcome.className = answer.ok && queries <= ids / 10 ? 'good' : 'bad'
    outcome.textContent = answer.ok
      ? t(queries === 1 ? 'catalogue.one' : 'catalogue.many', values)
      : reason ?? t('failed.status', answer)
  } catch {
    outcome.className = 'bad'
    outcome.textContent = t('failed.silent')
  } finally {
    buttons.forEach(button => { button.disabled = false })
  }
}

// --- one buyer of flesh and blood ---

const random = () => crypto.getRandomValues(new Uint32Array(2)).join('')
const me = `me-${random()}`
let order = { claim: '0' }

function showMine(told) {
  order = told
  byId('mine').textContent = told.reason ?? t(`answer.${told.answer}`)
  byId('pay').disabled = byId('cancel').disabled = told.answer !== 'ordered'
  byId('claim').disabled = ['queued', 'ordered'].includes(told.answer)
}

async function claimOne() {
  try {
    const { token } = await (await fetch(`/buyer/token?buyer=${me}`)).json()
    const headers = { 'X-Buyer': me, 'X-Sale-Token': token, 'X-Request-Id': random() }
    showMine(await (await fetch('/sale/inventory', { method: 'POST', headers })).json())
    follow()
  } catch {
    byId('mine').textContent = t('failed.silent')
  }
}

/** Asks for the order until it is final. */
async function follow() {
  if (!['queued', 'ordered'].includes(order.answer)) return
  try {
    const told = await (await fetch(`/buyer/order?buyer=${me}`)).json()
    if (told.claim === order.claim && ['queued', 'ordered'].includes(order.answer)) showMine(told)
  } catch {
    byId('mine').textContent = t('failed.silent')
  } finally {
    setTimeout(follow, 300)
  }
}

async function settle(how) {
  try {
    const query = new URLSearchParams({ buyer: me, claim: order.claim })
    const told = await (await fetch(`/buyer/${how}?${query}`, { method: 'POST' })).json()
    if (told.answer === 'queued') setTimeout(() => settle(how), 200) // the store is not told of the order yet
    else showMine(told)
  } catch {
    byId('mine').textContent = t('failed.silent')
  }
}

function say(text) {
  byId('message').textContent = text
}

byId('claim').addEventListener('click', claimOne)
byId('pay').addEventListener('click', () => settle('pay'))
byId('cancel').addEventListener('click', () => settle('cancel'))
byId('absent').addEventListener('click', () => attack(true))
byId('unguarded').addEventListener('click', () => attack(false))
byId('stop').addEventListener('click', () =>
  fetch('/load', { method: 'DELETE' }).catch(() => say(t('failed.silent'))))
for (const field of fields) field.addEventListener('input', () => { keep(); isGood(field) })
byId('controls').addEventListener('submit', event => { event.preventDefault(); start('/load') })

// --- the language ---

/** Puts the words into what is marked: data-text, data-label (for those who listen), data-hint. */
async function write(code) {
  await speak(code)
  document.title = `${t('title')} · Sluice`
  for (const place of document.querySelectorAll('[data-text]')) place.textContent = t(place.dataset.text)
  for (const place of document.querySelectorAll('[data-label]')) place.ariaLabel = t(place.dataset.label)
  for (const place of document.querySelectorAll('[data-hint]')) place.title = t(place.dataset.hint)
  byId('absent').textContent = t('catalogue.absent', { n: number(ABSENT) })
  fields.filter(field => field.ariaInvalid === 'true').forEach(isGood)
  nameCurves()
  if (order.answer) showMine(order)
  if (latest) update(latest)
}

const choice = byId('language')
for (const [code, name] of Object.entries(languages)) {
  const option = new Option(name, code)
  option.lang = code
  choice.add(option)
}
choice.addEventListener('change', () => write(choice.value))
await write(preferred())
choice.value = current()

// --- news ---

const events = new EventSource('/events')
events.onmessage = message => update(JSON.parse(message.data))
let lost = false
events.onerror = () => { lost = true; say(t('failed.lost')) }
events.onopen = () => { if (lost) say(''); lost = false }
