import { expect, it } from 'vitest'
import { checkBrowser, launchBrowser } from './launch-browser.ts'

const options = { proxyUrl: 'http://127.0.0.1:9', loadsImages: false, executable: '/bin/false' } as const

it.each([
  ['chromium', /^\/bin\/false does not start as a browser: (?!.*only Chromium)/],
  ['firefox', /^\/bin\/false does not start as a browser: .*only Chromium is supported/],
] as const)('says what is wrong with a file that is not a %s', async (browser, message) => {
  await expect(launchBrowser({ ...options, browser })).rejects.toMatchObject({
    code: 'BROWSER_UNAVAILABLE',
    message: expect.stringMatching(message),
  })
})

it('says before the start that a browser is missing', async () => {
  await expect(checkBrowser('chromium', '/no/browser')).rejects.toMatchObject({
    code: 'BROWSER_UNAVAILABLE',
    message: 'render.executable: there is no file /no/browser',
  })
})
