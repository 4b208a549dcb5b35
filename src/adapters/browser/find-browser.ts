import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export type BrowserName = 'chromium' | 'firefox'

const NAMES: Readonly<Record<BrowserName, readonly string[]>> = {
  chromium: [
    'chromium',
    'chromium-browser',
    'google-chrome-stable',
    'google-chrome',
    'microsoft-edge-stable',
  ],
  // A stock Firefox does not speak Playwright's protocol; only a build of Playwright does, and it is named in the settings.
  firefox: [],
}

const PLACES: Readonly<Record<BrowserName, readonly string[]>> = {
  chromium: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
    '/snap/bin/chromium',
  ],
  firefox: [],
}

/**
 * The executable of the user's browser: on the PATH, or in a usual place. `undefined`: there is none, but Playwright may have its own.
 * @param path the value of PATH
 */
export function findBrowser(
  name: BrowserName,
  path: string,
  isExecutable: (file: string) => boolean = canExecute,
): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  const candidates = NAMES[name].flatMap((file) => folders.map((folder) => join(folder, file)))
  return [...candidates, ...PLACES[name]].find(isExecutable)
}

function canExecute(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
