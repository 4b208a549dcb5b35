import { type ExampleSite, htmlPage } from '../example-sites/example-site.ts'

/** Pages whose scripts misbehave, by path. */
export const HOSTILE_SCRIPTS: Readonly<Record<string, string>> = {
  '/windows': 'for (let i = 0; i < 20; i++) window.open("/api/opened?" + i); show("windows")',
  '/alerts': 'for (let i = 0; i < 50; i++) { alert(i); confirm(i); prompt(i) } show("alerts")',
  '/alert-loop': 'while (true) alert("again")',
  '/loop': 'while (true) {}',
  '/memory': 'const all = []; while (true) all.push(new Array(1e6).fill({ a: 1 }))',
  '/huge':
    'document.body.append(...Array.from({ length: 200 }, () => { const e = document.createElement("p"); e.textContent = "x".repeat(20000); return e })); show("huge")',
  '/leave': 'location.href = "/target?from=script"',
  '/leave-private': 'location.href = "http://169.254.169.254/latest/meta-data/"',
  '/leave-scheme': 'location.href = "file:///etc/passwd"; setTimeout(() => show("stayed"), 100)',
  '/reload': 'location.reload()',
  '/download':
    'const a = document.createElement("a"); a.href = "/endless"; a.download = "x"; document.body.append(a); a.click(); show("download")',
  '/polling': 'show("polling"); (async () => { for (;;) await fetch("/api/poll").catch(() => {}) })()',
  '/busy': 'show("busy"); setInterval(() => fetch("/api/tick"), 20)',
  '/unload':
    'addEventListener("beforeunload", (event) => { event.preventDefault(); event.returnValue = "stay" }); show("unload")',
  '/socket':
    'const s = new WebSocket("ws://" + location.host + "/socket"); s.onerror = () => show("refused"); s.onopen = () => show("open")',
  '/worker': 'new Worker("/worker.js").onmessage = (event) => show(event.data)',
  '/service-worker':
    'navigator.serviceWorker ? navigator.serviceWorker.register("/worker.js").then(() => show("registered"), () => show("refused")) : show("refused")',
  '/never-idle': 'window.requestIdleCallback = () => 0; show("never idle")',
  '/pushed':
    'history.pushState({}, "", "/deep/below/"); document.body.innerHTML = "<a href=next>next</a>"; show("pushed")',
}

/** @param reach URLs that a page tries to fetch from its scripts */
export function hostileAppSite(reach: readonly string[]): ExampleSite {
  const probe = `Promise.all(${JSON.stringify(reach)}.map((url) => fetch(url, { mode: 'no-cors' }).then(() => 'reached', () => 'refused'))).then((all) => show(all.join(' ')))`
  return {
    disallowed: ['/never/'],
    response({ path }) {
      if (path === '/') return htmlPage('Hostile', '<p>start</p>')
      if (path === '/target')
        return htmlPage('Target', `<p id="root">${'the target of a script '.repeat(20)}</p>`)
      if (path === '/worker.js')
        return {
          headers: { 'content-type': 'text/javascript' },
          body: `fetch('/api/from-worker').then((r) => r.text()).then((t) => self.postMessage('worker ' + t), () => self.postMessage('worker refused'))`,
        }
      if (path.startsWith('/api/')) return { headers: { 'content-type': 'text/plain' }, body: 'ok' }
      if (path === '/to-private') return { status: 302, headers: { location: reach[0] ?? '/' }, body: '' }
      const script =
        path === '/reach' ? probe : path === '/reach-by-redirect' ? REDIRECTED : HOSTILE_SCRIPTS[path]
      return script === undefined ? undefined : htmlPage(path, page(script))
    },
  }
}

const REDIRECTED = `fetch('/to-private').then(() => show('reached'), () => show('refused'))`

function page(script: string): string {
  return `<div id="root"></div><script>const show = (text) => { const p = document.createElement('p'); p.id = 'shown'; p.textContent = 'shown: ' + text; document.body.append(p) }
${script}</script>`
}
