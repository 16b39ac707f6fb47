// What visitors see of the limited stock, and one-time codes. Both need a Redis: without one this part stays hidden.

import { number as digits, t } from './i18n.js'

const EVERY = 1000
const LINES = 5
const place = document.querySelector('.window')
const fill = (of, text) => { place.querySelector(`[data-of=${of}]`).textContent = text }
let run = 0

/** Takes what the server sends: whether there is a showcase, and the run that it shows. */
export function showcase(event) {
  run = event.sales.inventory.detail.run
  if (!event.showcase || !event.stages || !place.hidden) return // stages: the sale is open
  place.hidden = false
  look()
}

function list(id, lines) {
  document.getElementById(id).replaceChildren(...lines.map(text => {
    const line = document.createElement('li')
    line.textContent = text
    return line
  }))
}

async function look() {
  try {
    const [view, common] = await Promise.all(
      ['/showcase', `/showcase/common?run=${run - 1}`].map(async address => (await fetch(address)).json()))
    fill('product', view.product.name ?? '–')
    fill('stock', digits(view.stock))
    fill('buyers', digits(view.buyers))
    fill('common', digits(common.count))
    list('board', view.leaders.slice(0, LINES).map(({ town, orders }) => `${town}: ${digits(orders)}`))
    list('recent', view.recent.slice(0, LINES))
  } catch {
    // the server is away, which the page says elsewhere
  } finally {
    setTimeout(look, EVERY)
  }
}

const form = document.getElementById('codes')
const outcome = document.getElementById('codeAnswer')

async function ask(address, names) {
  const body = new URLSearchParams(names.map(name => [name, form.elements[name].value.trim()]))
  try {
    const answer = await (await fetch(address, { method: 'POST', body })).json()
    outcome.className = answer.answer === 'passed' ? 'good' : ''
    outcome.textContent = answer.reason ?? t(`code.${answer.answer}`, answer)
  } catch {
    outcome.textContent = t('failed.silent')
  }
}

form.addEventListener('submit', event => { event.preventDefault(); ask('/code/check', ['phone', 'code']) })
document.getElementById('sendCode').addEventListener('click', () => ask('/code/send', ['phone']))
