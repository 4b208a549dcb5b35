import {
  type ExampleSite,
  htmlPage,
  portion,
  redirect,
  type SiteReply,
  type SiteRequest,
} from './example-site.ts'

export const MEMBER = { user: 'ada', password: 'left & right' } as const

const TOKEN = 'f3a9 +/='
const PER_PAGE = 3

/** What a member sees. */
export const ORDERS = Array.from({ length: 7 }, (_, number) => ({
  number: `A-${1000 + number}`,
  placed: `2026-0${number + 1}-0${number + 2}`,
  total: 12.5 * (number + 1),
}))

/**
 * Orders for those who are logged in. The form counts only with its hidden token and with the cookie that came with it; all others
 * is led to it. To cancel an order is a link, which robots.txt forbids.
 */
export const membersSite: ExampleSite = {
  disallowed: ['/cancel/'],
  response(request) {
    const { method, path, query } = request
    if (path === '/login') return method === 'POST' ? logIn(request) : loginPage('')
    if (request.cookies.get('member') !== MEMBER.user) return redirect('/login')
    if (path === '/orders') return ordersPage(Number(query.get('page') ?? 1))
    const order = ORDERS.find(({ number }) => path === `/orders/${number}`)
    return order && orderPage(order)
  },
}

function loginPage(error: string): SiteReply {
  const page = htmlPage(
    'Log in',
    `<p class="error">${error}</p><form class="search" action="/search"><input name="q"></form>
    <form class="login" method="post" action="login"><input type="hidden" name="token" value="${TOKEN}">
    <input name="user"><input type="password" name="password"><button name="do" value="login">Log in</button></form>`,
  )
  return { ...page, headers: { ...page.headers, 'set-cookie': 'form=7; Path=/; HttpOnly' } }
}

function logIn({ body, cookies }: SiteRequest): SiteReply {
  const sent = Object.fromEntries(new URLSearchParams(body))
  const isRight =
    sent['user'] === MEMBER.user && sent['password'] === MEMBER.password && sent['do'] === 'login'
  if (sent['token'] !== TOKEN || cookies.get('form') !== '7') return { status: 400, body: 'no token' }
  return isRight
    ? redirect('/orders', { 'set-cookie': `member=${MEMBER.user}; Path=/; HttpOnly` })
    : loginPage('Name or password is wrong.')
}

function ordersPage(number: number): SiteReply {
  const { items, more } = portion(ORDERS, number, PER_PAGE)
  const links = items.map(
    (order) =>
      `<li><a href="/orders/${order.number}">${order.number}</a> <a href="/cancel/${order.number}">cancel</a></li>`,
  )
  const next = more ? `<p class="next"><a href="?page=${number + 1}">next</a></p>` : ''
  return htmlPage('Orders', `<ul class="orders">${links.join('')}</ul>${next}`)
}

function orderPage({ number, placed, total }: (typeof ORDERS)[number]): SiteReply {
  return htmlPage(
    number,
    `<h1>${number}</h1><time datetime="${placed}">then</time><p class="total">${total.toFixed(2)} €</p>`,
  )
}
