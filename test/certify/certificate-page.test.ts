import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateHtml } from '../../src/cli/certificate-html.ts'
import { certifyCrawl } from '../../src/wiring/certify-crawl.ts'
import { CHROMIUM, requireChromium } from '../../testing/require-chromium.ts'
import { impoliteLog, writeRequestLog } from '../../testing/write-request-log.ts'

const HOSTILE =
  '"><script>document.title="run"</script><img src="http://127.0.0.1:9/x" onerror="alert(1)"><style>*{display:none}</style>'

describe.skipIf(!requireChromium())('the certificate in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-page-'))
  const file = join(folder, 'certificate.html')
  let browser: Browser
  let page: Page
  const problems: string[] = []

  beforeAll(async () => {
    writeRequestLog(folder, impoliteLog(`host${HOSTILE}`, HOSTILE))
    writeFileSync(file, certificateHtml(await certifyCrawl(folder)))
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    page = await browser.newPage({ viewport: { width: 390, height: 800 } })
    page.on('request', (request) => {
      if (!request.url().startsWith('file:')) problems.push(request.url())
    })
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => problems.push('dialog')))
    page.on('console', (message) => problems.push(message.text()))
    await page.goto(`file://${file}`)
  })
  afterAll(async () => {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('says first how many violations there are, and lists them in red', async () => {
    expect(await page.textContent('.verdict')).toMatch(/^2 violations in 3 requests to host/)
    const rows = await page.locator('.violations tbody tr').allTextContents()
    expect(rows).toHaveLength(2)
    expect(rows[0]).toContain('requested 0.2 s after the last response; the configured delay is 1 s')
    const colour = await page.evaluate(`getComputedStyle(document.querySelector('.violations .bad')).color`)
    expect(colour).toBe('rgb(179, 38, 30)')
  })

  it('shows hostile hosts, URLs, agents and robots.txt lines as text, and loads nothing', async () => {
    expect(await page.textContent('h1')).toBe(`Politeness certificate for host${HOSTILE}`)
    expect(await page.textContent('main')).toContain(`bot ${HOSTILE}`)
    expect(await page.textContent('.violations')).toContain(HOSTILE)
    expect(await page.locator('script, img, a, iframe, main style').count()).toBe(0)
    expect(await page.title()).not.toBe('run')
    expect(problems).toEqual([])
  })

  it('does not run scripts even if there were one', async () => {
    const isBlocked = await page.evaluate(`
      const script = document.createElement('script')
      script.textContent = 'document.title = "run"'
      document.head.append(script)
      document.title !== 'run'`)
    expect(isBlocked).toBe(true)
    problems.length = 0
  })

  it.each([390, 794])('fits %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 800 })
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(overflow).toBeLessThanOrEqual(0)
  })

  it('has a dark style, and prints on A4', async () => {
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await background()).toBe('rgb(20, 24, 30)')
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' })
    expect(await background()).toBe('rgb(255, 255, 255)')
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
    // 210 × 297 mm in points.
    expect(pdf).toMatch(/MediaBox ?\[0 0 59[45](?:\.\d+)? 84[12]/)
  })
})
