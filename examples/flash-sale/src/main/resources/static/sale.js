// Shows what the server sends on /events and asks it for buyers. No state of its own but the curves and the language.

import { choose, current, languages, speak, t } from './texts.js'

// the statements of each, which are the same in every language
const strategies = {
  none: 'n = SELECT units_left\nif (n > 0) {\n  UPDATE … units_left = n - 1\n  INSERT order\n}',
  atomic: 'if (left.sum() > 0) {\n  left.decrement()\n  UPDATE … units_left - 1\n  INSERT order\n}',
  lock: 'try (Lease l = lock.acquire(wait)) {\n  UPDATE … units_left - 1, fence = :t\n    WHERE units_left > 0\n      AND fence <= :t    // l.token()\n  INSERT order, t }',
  optimistic: 'v, n = SELECT version, units_left\nUPDATE … units_left - 1, version + 1\n  WHERE version = :v   // else again\nINSERT order',
  pessimistic: 'BEGIN\nSELECT units_left … FOR UPDATE\nUPDATE … units_left - 1\nINSERT order\nCOMMIT',
  conditional: 'BEGIN\nINSERT order\nUPDATE … units_left - 1\n  WHERE units_left > 0  // 0 rows: none\nCOMMIT',
  inventory: 'stock.claim(buyer, 1, request)\n              // “queued”\nstock.drain(options, batch -> {\n  INSERT orders (…), (…), (…)\n  UPDATE … units_left - :n })\n              // “ordered”',
}

const names = Object.keys(strategies)
const byId = id => document.getElementById(id)
const number = n => Math.round(n).toLocaleString('en-US')
const millis = n => n < 10 ? `${n.toFixed(1)} ms` : n < 1000 ? `${Math.round(n)} ms` : `${(n / 1000).toFixed(1)} s`
const colour = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim()

const cards = Object.fromEntries(names.map(name => [name, makeCard(name)]))
const curves = Object.fromEntries(names.map(name => [name, { run: 0, points: [], done: false }]))
let queue = []

function makeCard(name) {
  const card = byId('card').content.firstElementChild.cloneNode(true)
  card.dataset.strategy = name
  const set = (selector, text) => { card.querySelector(selector).textContent = text }
  card.querySelector('.title').dataset.text = name
  card.querySelector('.idea').dataset.text = `${name}.idea`
  set('.path', `/sale/${name}`)
  set('.code', strategies[name])
  card.querySelector('button').addEventListener('click', () => { queue = []; start(name) })
  byId('cards').append(card)
  return card
}

// --- charts ---

function chart(id, extra) {
  const place = byId(id)
  const axis = { stroke: () => colour('soft'), grid: { stroke: () => colour('line'), width: 1 }, ticks: { show: false } }
  const plot = new uPlot({
    width: place.clientWidth,
    height: 230,
    legend: { live: false },
    scales: { x: { time: false }, y: { range: (u, low, high) => [0, Math.max(10, high || 0) * 1.08] } },
    axes: [
      { ...axis, values: (u, ticks) => ticks.map(t => `${t} s`) },
      { ...axis, size: 62, values: (u, ticks) => ticks.map(number) },
    ],
    series: [
      {},
      ...names.map(name => ({
        label: t(name),
        stroke: () => colour(name),
        width: 2.5,
        spanGaps: true,
        points: { show: false },
      })),
      ...extra,
    ],
  }, [[0], ...names.map(() => [null]), ...extra.map(() => [null])], place)
  new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: 230 })).observe(place)
  return plot
}

const soldChart = chart('soldChart', [{
  label: t('chart.stock'), stroke: () => colour('stock'), width: 1.5, dash: [6, 5], spanGaps: true, points: { show: false },
}])
const rateChart = chart('rateChart', [])

/** The legends, which uPlot writes once. */
function nameCurves() {
  const labels = [...names.map(name => t(name)), t('chart.stock')]
  for (const plot of [soldChart, rateChart]) {
    plot.root.querySelectorAll('.u-legend .u-label').forEach((place, i) => { place.textContent = labels[i] })
  }
}

function drawCurves(stock) {
  const shown = names.filter(name => curves[name].points.length)
  if (!shown.length) return
  const sold = uPlot.join([
    ...names.map(name => [curves[name].points.map(p => p.at), curves[name].points.map(p => p.sold)]),
  ])
  soldChart.setData([...sold, sold[0].map(() => stock)])
  rateChart.setData(uPlot.join(
    names.map(name => [curves[name].points.map(p => p.at), curves[name].points.map(p => p.rate)])))
}

/** A point per event while buyers are inside, and one when the last has left. */
function addPoint(name, { detail, load }) {
  const curve = curves[name]
  if (!load) return
  if (curve.run !== load.run) Object.assign(curve, { run: load.run, points: [{ at: 0, sold: 0, rate: null, requests: 0 }], done: false })
  if (curve.done) return
  const before = curve.points[curve.points.length - 1]
  const step = load.seconds - before.at
  curve.done = !load.running
  if (step <= 0.1) {
    before.sold = detail.sold
    return
  }
  const rate = (load.answers.requests - before.requests) / step
  curve.points.push({ at: load.seconds, sold: detail.sold, rate, requests: load.answers.requests })
}

// --- figures ---

const counts = values => Object.fromEntries(Object.entries(values).map(([name, n]) => [name, number(n)]))

const told = (kind, key, headline, note) =>
  [kind, t(`verdict.${key}`, counts(headline)), t(`verdict.${key}.note`, counts(note))]

function verdict({ detail, load }, name) {
  const { sold, stock, oversold } = detail
  if (oversold > 0) {
    return told('bad', 'oversold', { n: oversold }, { sold, stock })
  }
  if (load?.running) return told('', 'selling', {}, { n: load.answers.requests, of: load.requests })
  if (!sold) return told('', 'unsold', {}, { n: stock })
  const asked = load ? load.answers.requests - load.answers.refused : 0
  if (sold < stock && asked >= stock && name !== 'inventory') {
    return told('bad', 'undersold', { n: stock - sold }, { n: asked })
  }
  if (sold < stock) return told('', 'some', { n: sold }, { n: stock - sold })
  return told('good', 'exact', { n: sold }, {})
}

function show(name, line) {
  const card = cards[name]
  const { detail, load } = line
  const answers = load ? load.answers : detail.answered
  const [kind, headline, note] = verdict(line, name)
  const box = card.querySelector('.verdict')
  box.className = `verdict ${kind}`
  box.querySelector('strong').textContent = headline
  box.querySelector('span').textContent = note
  const values = {
    sold: number(detail.sold),
    oversold: number(detail.oversold),
    rate: answers.requests ? number(answers.perSecond) : '–',
    p50: answers.requests ? millis(answers.p50Millis) : '–',
    p99: answers.requests ? millis(answers.p99Millis) : '–',
    failed: number(answers.failed),
    refused: number(answers.refused),
  }
  for (const [of, text] of Object.entries(values)) card.querySelector(`[data-of=${of}]`).textContent = text
  card.querySelector('[data-of=refused]').parentElement.hidden = !answers.refused
  const whole = Math.max(detail.stock, detail.sold, 1)
  card.querySelector('.within').style.width = `${100 * Math.min(detail.sold, detail.stock) / whole}%`
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
  for (const name of names) {
    addPoint(name, event.sales[name])
    show(name, event.sales[name])
  }
  drawCurves(event.sales.lock.detail.stock)
  showCatalogue(event.catalogue)
  showStages(event.stages)
  const running = names.some(name => event.sales[name].load?.running)
  if (!running && queue.length && !starting) start(queue.shift())
  const busy = running || starting || queue.length > 0
  byId('all').disabled = busy
  byId('stop').disabled = !busy
  for (const name of names) cards[name].querySelector('button').disabled = busy
}

function showStages(stages) {
  if (!stages) return
  const values = {
    ...Object.fromEntries(Object.entries(stages).map(([name, count]) => [name, number(count)])),
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

// --- actions ---

let starting = false

async function start(name) {
  const form = new FormData(byId('controls'))
  starting = true
  say('')
  try {
    const answer = await fetch(`/load/${name}?${new URLSearchParams(form)}`, { method: 'POST' })
    if (!answer.ok) {
      queue = []
      say((await answer.json()).reason ?? t('failed.status', answer))
    }
  } catch {
    queue = []
    say(t('failed.silent'))
  } finally {
    starting = false
  }
}

async function attack(guarded) {
  const buttons = [byId('absent'), byId('unguarded')]
  const outcome = byId('attack')
  buttons.forEach(button => { button.disabled = true })
  try {
    const answer = await fetch(`/product/absent?ids=200&guarded=${guarded}`, { method: 'POST' })
    const { ids, queries, millis: took, reason } = await answer.json()
    outcome.className = queries > ids / 10 ? 'bad' : 'good'
    outcome.textContent = answer.ok
      ? t(queries === 1 ? 'catalogue.one' : 'catalogue.many', { ids: number(ids), n: number(queries), span: millis(took) })
      : reason ?? t('failed.status', answer)
  } catch {
    outcome.textContent = t('failed.silent')
  } finally {
    buttons.forEach(button => { button.disabled = false })
  }
}

// --- one buyer of flesh and blood ---

const me = `me-${crypto.getRandomValues(new Uint32Array(2)).join('')}`
let order = { claim: '0' }
let news

function showMine(told) {
  order = told
  const settled = told.answer === 'paid' || told.answer === 'cancelled' || told.answer === 'rejected'
  byId('mine').textContent = told.reason ?? t(`answer.${told.answer}`)
  byId('pay').disabled = byId('cancel').disabled = told.answer !== 'ordered'
  byId('claim').disabled = !settled && (told.answer === 'queued' || told.answer === 'ordered')
  if (settled) news?.close()
}

async function claimOne() {
  try {
    const buyer = encodeURIComponent(me)
    const { token } = await (await fetch(`/buyer/token?buyer=${buyer}`)).json()
    const headers = { 'X-Buyer': me, 'X-Sale-Token': token, 'X-Request-Id': crypto.getRandomValues(new Uint32Array(2)).join('') }
    const told = await (await fetch('/sale/inventory', { method: 'POST', headers })).json()
    showMine(told)
    if (told.answer !== 'queued') return
    news?.close()
    news = new EventSource(`/buyer/order/events?buyer=${buyer}`)
    news.onmessage = message => {
      const next = JSON.parse(message.data)
      if (next.answer !== 'nothing') showMine(next)
    }
  } catch {
    byId('mine').textContent = t('failed.silent')
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

byId('claim').addEventListener('click', claimOne)
byId('pay').addEventListener('click', () => settle('pay'))
byId('cancel').addEventListener('click', () => settle('cancel'))

function say(text) {
  byId('message').textContent = text
}

byId('controls').addEventListener('submit', event => {
  event.preventDefault()
  queue = names.slice(1)
  start(names[0])
})
byId('absent').addEventListener('click', () => attack(true))
byId('unguarded').addEventListener('click', () => attack(false))
byId('stop').addEventListener('click', () => { queue = []; fetch('/load', { method: 'DELETE' }) })

// --- the language ---

const choice = byId('language')
for (const [code, name] of Object.entries(languages)) {
  const option = new Option(name, code)
  option.lang = code
  choice.add(option)
}
choice.value = current()
choice.addEventListener('change', () => {
  choose(choice.value)
  speak(document)
  nameCurves()
  if (order.answer) showMine(order)
  if (latest) update(latest)
})
speak(document)

// --- news ---

const events = new EventSource('/events')
events.onmessage = message => update(JSON.parse(message.data))
let lost = false
events.onerror = () => { lost = true; say(t('failed.lost')) }
events.onopen = () => { if (lost) say(''); lost = false }
