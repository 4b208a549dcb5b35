import { type ExampleSite, jsonDocument, portion } from '../example-sites/example-site.ts'

const QUOTES = Array.from({ length: 45 }, (_, i) => `Quote number ${i + 1}`)

/** A list that grows when the user scrolls to its end, and a button that shows a hidden part. */
export const scrollSite: ExampleSite = {
  disallowed: ['/never/'],
  response({ path, query }) {
    if (path === '/api/quotes') {
      const { items, more } = portion(QUOTES, Number(query.get('page') ?? 1), 10)
      return jsonDocument({ items, more })
    }
    if (path === '/api/more') return jsonDocument({ text: 'The hidden part' })
    if (path !== '/') return undefined
    return { headers: { 'content-type': 'text/html' }, body: PAGE }
  },
}

const PAGE = `<!doctype html><title>Quotes</title><body><div id="app"></div><button id="more">More</button><form id="search"><input name="q"></form>
<div id="out"></div><script>
let page = 0, more = true, busy = false
const load = async () => {
  if (busy || !more) return
  busy = true
  const part = await (await fetch('/api/quotes?page=' + ++page)).json()
  more = part.more
  for (const text of part.items) { const p = document.createElement('p'); p.className = 'quote'; p.style.height = '150px'; p.textContent = text; document.getElementById('app').append(p) }
  busy = false
}
addEventListener('scroll', () => { if (innerHeight + scrollY >= document.documentElement.scrollHeight - 50) load() })
document.getElementById('more').onclick = async () => { document.getElementById('out').textContent = (await (await fetch('/api/more')).json()).text }
document.getElementById('search').onsubmit = (event) => { event.preventDefault(); document.getElementById('out').textContent = 'Found ' + event.target.q.value }
load()
</script>`
