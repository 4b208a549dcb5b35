import { type ExampleSite, htmlPage, jsonDocument, type SiteReply } from '../example-sites/example-site.ts'

/** The articles that only scripts show. */
export const ARTICLES = ['Rain in May', 'The old mill', 'Bees', 'A bridge', 'Night trains'] as const

const SHELL: SiteReply = {
  headers: { 'content-type': 'text/html; charset=utf-8', etag: '"shell-1"' },
  body: `<!doctype html><html lang="en"><head><title>Loading</title>
<link rel="stylesheet" href="/assets/app.css"></head><body><noscript>You need to enable JavaScript to run this app.</noscript>
<div id="root"></div><script src="/assets/vendor.js"></script><script src="/assets/app.js"></script></body></html>`,
}

const VENDOR = `window.h = (tag, text) => { const e = document.createElement(tag); e.textContent = text; return e }`

const APP = `(async () => {
  const root = document.getElementById('root')
  const link = (href, text) => { const a = h('a', text); a.href = href; return a }
  const id = /^\\/articles\\/(\\d+)$/.exec(location.pathname)?.[1]
  if (id === undefined) {
    const list = await (await fetch('/api/articles')).json()
    document.title = 'Articles'
    for (const { id, title } of list) root.append(link('/articles/' + id, title))
    root.append(link('/about', 'About'), link('/private/area', 'Private'))
    const secret = await fetch('/private/api').then((r) => r.text(), () => 'not allowed')
    root.append(h('p', 'private: ' + secret))
    return
  }
  const [article, comments] = await Promise.all(
    ['/api/articles/' + id, '/api/articles/' + id + '/comments'].map(async (url) => (await fetch(url)).json()))
  document.title = article.title
  root.append(h('h1', article.title), h('p', article.text), h('small', comments.length + ' comments'))
  const image = new Image(); image.src = '/assets/picture.png'; root.append(image)
})()`

/** Pages that are shells: their text and links come from an API. `/about` is an ordinary page. */
export const appSite: ExampleSite = {
  disallowed: ['/private/'],
  response({ path }) {
    if (path === '/' || /^\/articles\/\d+$/.test(path)) return SHELL
    if (path === '/about')
      return htmlPage(
        'About',
        `<h1>About</h1><p>${'A page with text of its own. '.repeat(30)}</p><a href="/">Home</a>`,
      )
    if (path === '/assets/app.js') return script(APP)
    if (path === '/assets/vendor.js') return script(VENDOR)
    if (path === '/assets/app.css')
      return { headers: { 'content-type': 'text/css' }, body: 'body { margin: 0 }' }
    if (path === '/api/articles') return jsonDocument(ARTICLES.map((title, i) => ({ id: i + 1, title })))
    const [, id, comments] = /^\/api\/articles\/(\d)(\/comments)?$/.exec(path) ?? []
    const title = ARTICLES[Number(id) - 1]
    if (title === undefined) return undefined
    if (comments !== undefined) return jsonDocument([1, 2])
    return jsonDocument({ title, text: `All about ${title}. `.repeat(20) })
  },
}

function script(body: string): SiteReply {
  return { headers: { 'content-type': 'text/javascript', 'cache-control': 'max-age=3600' }, body }
}
