/**
 * Renders the pictures of README.md from a real run: `npm run build && node scripts/make-images.ts`.
 * Runs `orbweaver demo` in a pseudo-terminal (util-linux `script`), then takes screenshots with Chromium.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { chromium } from 'playwright-core'

const root = join(import.meta.dirname, '..')
const images = join(root, 'docs/images')
const folder = mkdtempSync(join(tmpdir(), 'orbweaver-images-'))
const program = `"${process.execPath}" "${join(root, 'bin/orbweaver.js')}"`
const log = join(folder, 'terminal.txt')
execFileSync('script', ['-qc', `stty cols 132 rows 40; ${program} demo my-crawl`, log], {
  cwd: folder,
  stdio: 'ignore',
})

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const server = spawn(process.execPath, [join(root, 'bin/orbweaver.js'), 'serve', 'my-crawl', '--port', '0'], {
  cwd: folder,
})
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 400 }, deviceScaleFactor: 1 })
  await page.setContent(terminalPage(progressLines(readFileSync(log, 'utf8'))))
  await page.locator('pre').screenshot({ path: join(images, 'crawl.png') })
  await page.close()

  const search = await browser.newPage({ viewport: { width: 1160, height: 720 } })
  await search.goto(`${await addressOf(server)}?q=spider+silk`)
  await search.getByRole('searchbox').fill('spider silk')
  await search.locator('mark').first().waitFor()
  await search.screenshot({ path: join(images, 'search.png') })
} finally {
  server.kill('SIGINT')
  await browser.close()
  rmSync(folder, { recursive: true })
}

/** The first rounds, with the last state of each progress bar, and the summary up to the first search result. */
function progressLines(terminal: string): string[] {
  const text = terminal
    .slice(terminal.indexOf('\n') + 1)
    .replaceAll('\r\n', '\n')
    // Keeps a progress bar that was overwritten, as it was on the screen.
    .replaceAll(/\r\u001b\[2K(?=[█░])/g, '\n')
    .replaceAll(/\r\u001b\[2K/g, '\n')
  const lines = stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line, i, all) => line !== '' && !(isBar(line) && isBar(all[i + 1] ?? '')))
  const lastBar = lines.findLastIndex(isBar)
  const summary = lines.findIndex((line) => /^\d+ pages of /.test(line))
  const end = lines.findIndex((line) => line.startsWith('1. '))
  const rounds = lines.slice(0, Math.min(lastBar, 12))
  return ['$ npx orbweaver demo my-crawl', ...rounds, '…', ...lines.slice(summary, end + 2)]
}

function isBar(line: string): boolean {
  return /^[█░]/.test(line)
}

function terminalPage(lines: readonly string[]): string {
  const html = lines
    .map((line) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))
    .map((line) => line.replace(/^\$.*/, '<b>$&</b>').replace(/^[█░]+/, '<i>$&</i>'))
    .join('\n')
  return `<style>body{margin:0}pre{margin:0;padding:18px 22px;width:max-content;min-width:780px;
    font:13px/1.5 "DejaVu Sans Mono",monospace;color:#d6deeb;background:#13161f;border-radius:8px}
    b{color:#fff}i{font-style:normal;color:#6fcf97}</style><pre>${html}</pre>`
}

async function addressOf({ stdout, stderr }: typeof server): Promise<string> {
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      const [address] = /http:\/\/127\.0\.0\.1:\d+\//.exec(chunk.toString()) ?? []
      if (address !== undefined) resolve(address)
    }
    stdout.on('data', read)
    stderr.on('data', read)
    setTimeout(() => reject(new Error('serve did not print its address')), 20_000).unref()
  })
}
