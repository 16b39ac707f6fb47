// Every word of the page, in each language, and who reads which.

export const languages = { 'en': 'English', 'zh-CN': '简体中文' }

export const texts = {
  'en': {
    'title': 'Flash sale',
    'connecting': 'One stock, one crowd, seven ways to sell. Connecting…',
    'setting.one': 'One stock, one crowd, seven ways to sell. 1 instance, lock store {store}',
    'setting.many': 'One stock, one crowd, seven ways to sell. {n} instances, lock store {store}',
    'setting.work': ', {ms} ms of work per purchase',
    'language': 'Language',
    'form.stock': 'Stock',
    'form.requests': 'Requests',
    'form.tries': 'By each buyer',
    'form.tries.why': 'More than 5 at once are refused',
    'form.concurrency': 'At a time',
    'form.all': 'Run all',
    'form.stop': 'Stop',
    'cards': 'Strategies',
    'card.start': 'Let the buyers in',
    'card.sold': 'sold',
    'card.oversold': 'oversold',
    'card.rate': 'requests/s',
    'card.errors': 'errors',
    'card.refused': 'refused (429)',
    'card.by': 'sold at port {ports}',
    'verdict.oversold': 'Oversold by {n}',
    'verdict.oversold.note': '{sold} orders for {stock} units',
    'verdict.selling': 'Selling…',
    'verdict.selling.note': '{n} of {of} requests answered',
    'verdict.unsold': 'Not sold yet',
    'verdict.unsold.note': '{n} units on offer',
    'verdict.undersold': 'Undersold by {n}',
    'verdict.undersold.note': '{n} buyers asked',
    'verdict.some': '{n} sold',
    'verdict.some.note': '{n} units left',
    'verdict.exact': 'Exactly {n} sold',
    'verdict.exact.note': 'not one too many, over all instances',
    'chart.sold': 'Units sold',
    'chart.sold.note': ' over time, against the stock there was',
    'chart.rate': 'Requests per second',
    'chart.rate.note': ', answered',
    'chart.stock': 'Stock',
    'stages': 'The limited stock',
    'stages.title': 'The limited stock, stage by stage',
    'stages.idea': 'The store admits; that is told as “queued”. A drain writes orders in batches; only then is a buyer told “ordered”. '
      + 'Most of the crowd pays. What nobody pays for comes back, once, and is sold again.',
    'stages.admitted': 'admitted',
    'stages.queued': 'queued',
    'stages.pending': 'ordered, unpaid',
    'stages.paid': 'paid',
    'stages.returned': 'returned',
    'stages.rejected': 'rejected',
    'stages.left': 'left: store / database',
    'stages.lag': 'drain lag',
    'mine.title': 'Buy one yourself',
    'mine.idea': 'A token for you and this sale, a claim, and then news of the order as they come.',
    'mine.claim': 'Claim one',
    'mine.pay': 'Pay',
    'mine.cancel': 'Give it up',
    'answer.queued': 'queued',
    'answer.ordered': 'ordered',
    'answer.paid': 'paid',
    'answer.cancelled': 'cancelled',
    'answer.rejected': 'rejected',
    'answer.nothing': 'nothing',
    'answer.sold out': 'sold out',
    'answer.closed': 'the sale is not open',
    'answer.no token': 'the token is too old',
    'answer.limited': 'too many requests',
    'catalogue': 'Product page',
    'catalogue.title': 'The product page, and somebody who asks for what does not exist',
    'catalogue.idea': '2,000 products behind a guarded cache and a Bloom filter of their ids. Random ids are in no cache: without the '
      + 'filter each of them is a query.',
    'catalogue.absent': 'Ask for 200 absent ids',
    'catalogue.unguarded': 'The same, past the guard',
    'catalogue.queries': 'database queries',
    'catalogue.guarded': 'answered by the filter',
    'catalogue.hits': 'cache hits',
    'catalogue.one': '{ids} ids: 1 query in {span}',
    'catalogue.many': '{ids} ids: {n} queries in {span}',
    'failed.status': 'The server answered {status}.',
    'failed.silent': 'The server does not answer.',
    'failed.lost': 'No connection to the server; trying again.',
    'none': 'No protection',
    'none.idea': 'Read the number, subtract one, write it back. Two buyers who read the same number both get a unit.',
    'atomic': 'Atomic counter',
    'atomic.idea': 'A LongAdder inside the JVM: check, then count down. Not one step, and each instance counts a stock of its own.',
    'lock': 'Sluice lock',
    'lock.idea': 'One buyer at a time over all instances; the stock row refuses a token older than the last it saw.',
    'optimistic': 'Optimistic row',
    'optimistic.idea': 'Write only if the version is still the one that was read. Most tries are in vain, and some buyers give up beside a full shelf.',
    'pessimistic': 'Pessimistic row',
    'pessimistic.idea': 'The database’s own lock, from the check to the commit. One buyer at a time, each with a connection.',
    'conditional': 'Conditional update',
    'conditional.idea': 'The update itself says whether one was left; the insert comes first, so the row is locked for the shortest time. One commit each.',
    'inventory': 'Limited stock',
    'inventory.idea': 'The store decides, a queue remembers, a drain writes hundreds of orders with one commit. “Ordered” is said once it is durable.',
  },
  'zh-CN': {
    'title': '秒杀',
    'connecting': '一份库存，一群买家，七种卖法。正在连接……',
    'setting.one': '一份库存，一群买家，七种卖法。1 个实例，锁存储：{store}',
    'setting.many': '一份库存，一群买家，七种卖法。{n} 个实例，锁存储：{store}',
    'setting.work': '，每次购买工作 {ms} 毫秒',
    'language': '语言',
    'form.stock': '库存',
    'form.requests': '请求数',
    'form.tries': '每个买家',
    'form.tries.why': '一次超过 5 个会被拒绝',
    'form.concurrency': '同时',
    'form.all': '全部运行',
    'form.stop': '停止',
    'cards': '卖法',
    'card.start': '放买家进来',
    'card.sold': '卖出',
    'card.oversold': '超卖',
    'card.rate': '请求/秒',
    'card.errors': '错误',
    'card.refused': '被拒绝（429）',
    'card.by': '按端口卖出 {ports}',
    'verdict.oversold': '超卖 {n} 件',
    'verdict.oversold.note': '{stock} 件库存，{sold} 个订单',
    'verdict.selling': '正在卖……',
    'verdict.selling.note': '已答复 {n} 个请求，共 {of} 个',
    'verdict.unsold': '尚未开卖',
    'verdict.unsold.note': '有 {n} 件可卖',
    'verdict.undersold': '少卖 {n} 件',
    'verdict.undersold.note': '来过 {n} 个买家',
    'verdict.some': '卖出 {n} 件',
    'verdict.some.note': '还剩 {n} 件',
    'verdict.exact': '恰好卖出 {n} 件',
    'verdict.exact.note': '所有实例加起来，一件不多',
    'chart.sold': '卖出的件数',
    'chart.sold.note': '随时间的变化，与实有库存对照',
    'chart.rate': '每秒答复的请求',
    'chart.rate.note': '',
    'chart.stock': '库存',
    'stages': '限量库存',
    'stages.title': '限量库存，一步一步看',
    'stages.idea': '存储放行，此时只告知“排队中”。落库消费（drain）成批写入订单，之后买家才被告知“已下单”。多数买家会付款；没人付款的退回一次，再次出售。',
    'stages.admitted': '已放行',
    'stages.queued': '排队中',
    'stages.pending': '已下单，未付款',
    'stages.paid': '已付款',
    'stages.returned': '已退回',
    'stages.rejected': '已拒绝',
    'stages.left': '剩余：存储 / 数据库',
    'stages.lag': '落库延迟',
    'mine.title': '自己买一件',
    'mine.idea': '为您和这场销售签发的令牌，一次占用，然后订单的消息会自己送来。',
    'mine.claim': '占用一件',
    'mine.pay': '付款',
    'mine.cancel': '放弃',
    'answer.queued': '排队中',
    'answer.ordered': '已下单',
    'answer.paid': '已付款',
    'answer.cancelled': '已取消',
    'answer.rejected': '已拒绝',
    'answer.nothing': '没有',
    'answer.sold out': '售罄',
    'answer.closed': '销售没有开放',
    'answer.no token': '令牌已过期',
    'answer.limited': '请求太多',
    'catalogue': '商品页',
    'catalogue.title': '商品页，以及专问不存在之物的人',
    'catalogue.idea': '2,000 个商品，前面是受保护的缓存和由它们的 id 组成的布隆过滤器。随机的 id 不在任何缓存里：没有过滤器，每一个都是一次查询。',
    'catalogue.absent': '查询 200 个不存在的 id',
    'catalogue.unguarded': '同样的查询，绕过过滤器',
    'catalogue.queries': '数据库查询',
    'catalogue.guarded': '由过滤器答复',
    'catalogue.hits': '缓存命中',
    'catalogue.one': '{ids} 个 id：1 次查询，用时 {span}',
    'catalogue.many': '{ids} 个 id：{n} 次查询，用时 {span}',
    'failed.status': '服务器答复了 {status}。',
    'failed.silent': '服务器没有答复。',
    'failed.lost': '与服务器没有连接，正在重试。',
    'none': '没有保护',
    'none.idea': '读出数字，减一，写回。读到同一个数的两个买家都得到一件。',
    'atomic': '原子计数器',
    'atomic.idea': 'JVM 里的 LongAdder：先检查，再递减。这不是一步，而且每个实例数的是自己的一份库存。',
    'lock': 'Sluice 锁',
    'lock.idea': '所有实例的买家一个接一个来；库存行拒绝比它见过的更旧的令牌。',
    'optimistic': '乐观的行',
    'optimistic.idea': '只有版本仍是读到的那个才写。多数尝试是白费的，有些买家在满满的货架旁放弃。',
    'pessimistic': '悲观的行',
    'pessimistic.idea': '数据库自己的锁，从检查持有到提交。同一时刻一个买家，各占一个连接。',
    'conditional': '条件更新',
    'conditional.idea': '更新语句自己说出是否还有；先插入订单，所以那一行锁住的时间最短。每件一次提交。',
    'inventory': '限量库存',
    'inventory.idea': '存储决定，队列记住，落库消费用一次提交写入几百个订单。持久之后才说“已下单”。',
  },
}

const KEPT = 'sluice.language'
let language = preferred()

function preferred() {
  try {
    const chosen = localStorage.getItem(KEPT)
    if (chosen in languages) return chosen
  } catch {
    // no storage: the browser's choice it is
  }
  return navigator.languages.some(each => each.toLowerCase().startsWith('zh')) ? 'zh-CN' : 'en'
}

export const current = () => language

export function choose(code) {
  language = code
  try {
    localStorage.setItem(KEPT, code)
  } catch {
    // it is forgotten with the page, then
  }
}

/** A text by its key; {name} stands for a value. */
export const t = (key, values = {}) =>
  (texts[language][key] ?? key).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all)

/** Puts the words into what is marked: data-text, data-label (for those who listen), data-hint. */
export function speak(root) {
  document.documentElement.lang = language
  document.title = `${t('title')} · Sluice`
  for (const place of root.querySelectorAll('[data-text]')) place.textContent = t(place.dataset.text)
  for (const place of root.querySelectorAll('[data-label]')) place.setAttribute('aria-label', t(place.dataset.label))
  for (const place of root.querySelectorAll('[data-hint]')) place.title = t(place.dataset.hint)
}
