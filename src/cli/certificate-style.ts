/** The style of the certificate. Its hash is in the Content-Security-Policy of the page. */
export const CERTIFICATE_STYLE = `
:root { color-scheme: light dark; --text: #1c2430; --quiet: #566172; --line: #d5dae2; --page: #fff; --panel: #f5f7fa;
  --good: #0a6b3d; --good-panel: #e8f5ee; --bad: #b3261e; --bad-panel: #fdecea; --warn: #7a4f00; --warn-panel: #fff5e0 }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ee; --quiet: #a2adbd; --line: #38414e; --page: #14181e; --panel: #1c222b;
  --good: #7fd6a8; --good-panel: #11291d; --bad: #ff9d95; --bad-panel: #3a1512; --warn: #ffd28a; --warn-panel: #33260c } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 3rem; background: var(--page); color: var(--text); overflow-wrap: anywhere;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
h1 { margin: 0 0 1rem; font-size: 1.6rem; line-height: 1.2 }
h2 { margin: 2.2rem 0 .6rem; font-size: 1.25rem; line-height: 1.25; overflow-wrap: anywhere }
h3 { margin: 1.4rem 0 .4rem; font-size: 1rem }
p { margin: .5rem 0 }
.quiet { color: var(--quiet) }
.verdict { padding: .9rem 1.1rem; border-left: 6px solid var(--good); background: var(--good-panel); font-size: 1.1rem; font-weight: 600;
  overflow-wrap: anywhere }
.verdict.bad { border-color: var(--bad); background: var(--bad-panel); color: var(--bad) }
.notes { margin: 1rem 0; padding: .6rem 1.1rem; border-left: 6px solid var(--warn); background: var(--warn-panel) }
.notes ul { margin: .2rem 0; padding-left: 1.2rem }
.good { color: var(--good); font-weight: 600 }
.bad { color: var(--bad); font-weight: 600 }
dl { display: grid; grid-template-columns: minmax(9rem, 15rem) 1fr; margin: .5rem 0; border-top: 1px solid var(--line) }
dt, dd { margin: 0; padding: .4rem .5rem; border-bottom: 1px solid var(--line) }
dt { color: var(--quiet) }
dd { overflow-wrap: anywhere }
.scroll { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-size: .9rem }
th, td { padding: .35rem .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
th { color: var(--quiet); font-weight: 600; border-bottom-width: 2px }
td { overflow-wrap: anywhere }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
.word { white-space: nowrap }
.time { white-space: nowrap; font-variant-numeric: tabular-nums }
code { font: .875em/1.4 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere }
.violations { border: 2px solid var(--bad); padding: .2rem 1rem .8rem; margin-top: 1rem }
.violations h3 { color: var(--bad); margin-top: .7rem }
.violations th { color: var(--bad) }
footer { margin-top: 2.5rem; padding-top: .8rem; border-top: 1px solid var(--line); font-size: .875rem; color: var(--quiet) }
@media (max-width: 34rem) {
  body { font-size: 15px; padding: 1rem .8rem 2rem }
  dl { grid-template-columns: 1fr }
  dt { padding-bottom: 0; border: 0; font-size: .875rem }
  .cards thead { display: none }
  .cards, .cards tbody { display: block }
  .cards tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--line) }
  .cards td { display: block; border: 0; padding: .05rem .5rem; text-align: left; white-space: normal }
  .cards td[data-label]::before { content: attr(data-label) ": "; color: var(--quiet) }
}
@page { size: A4; margin: 16mm 15mm }
@media print {
  :root { --text: #000; --quiet: #444; --line: #bbb; --page: #fff; --panel: #fff; --good: #0a6b3d; --good-panel: #fff; --bad: #b3261e;
    --bad-panel: #fff; --warn: #7a4f00; --warn-panel: #fff }
  body { max-width: none; padding: 0; font-size: 10.5pt }
  .verdict { border: 1.5pt solid var(--good) } .verdict.bad { border-color: var(--bad) }
  h2, h3, thead { break-after: avoid } tr, dt, dd, .verdict { break-inside: avoid }
  .scroll { overflow: visible }
}
`
