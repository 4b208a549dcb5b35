import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { page, reply } from '../testing/misbehaving-web/route.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from '../testing/misbehaving-web.ts'
import { runNode, runOrbweaver, runShell } from './run-orbweaver.ts'

/**
 * Every example of the README and of docs/ is run, with a site on loopback in the place of https://example.org. The examples of one page run
 * in order, in a folder of their own.
 */

const ROOT = join(import.meta.dirname, '..')
const PAGES = ['README.md', ...globSync('docs/*.md', { cwd: ROOT }).sort()]

let web: MisbehavingWeb
let site: string
let folder: string

beforeAll(async () => {
  web = await startMisbehavingWeb()
  web.serve('127.0.0.1', {
    '/': page('<title>Example</title><a href="/next">next</a> <a href="/more">more</a>'),
    '/next': page('<title>Next</title><a href="/">back</a> <a href="/old">old</a>'),
    '/old': reply({ status: 301, headers: { location: '/' } }),
  })
  site = web.origin('127.0.0.1')
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-docs-'))
  // As installed: `import 'orbweaver'` and `npx orbweaver` mean this package.
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules/orbweaver'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
})

afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})

/** The folder of a page. */
function placeOf(file: string): string {
  const place = join(folder, file)
  mkdirSync(place, { recursive: true })
  return place
}

function blocks(file: string, language: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return Array.from(
    text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm')),
    ([, code = '']) => code,
  )
}

function here(example: string): string {
  return example.replaceAll('https://example.org', site)
}

/** The lines that run Orbweaver, and what prepares them; installing and testing is done already. */
function commandsOf(file: string): string[] {
  return (
    blocks(file, 'sh')
      .join('')
      .split('\n')
      // What follows a pipe is another program's affair.
      .map((line) =>
        line
          .replace(/^npm ci && /, '')
          .replace(/ \| .*/, '')
          .trim(),
      )
      .filter((line) => line !== '' && !/^(npm|#)/.test(line))
  )
}

const EXAMPLES = PAGES.map((file) => ({ file, lines: commandsOf(file) })).filter(
  ({ lines }) => lines.length > 0,
)

describe.each(EXAMPLES)('an example in $file', ({ file, lines }) => {
  beforeAll(() => {
    writeFileSync(join(placeOf(file), 'orbweaver.config.json'), '{"politeness":{"delaySeconds":0.05}}')
  })

  it.each(lines)('works: %s', async (line) => {
    const orbweaver = `"${process.execPath}" "${join(ROOT, 'bin/orbweaver.js')}"`
    const script = `export TMPDIR='${folder}'; ${here(line).replace('npx orbweaver', orbweaver)}`
    const { exitCode, stdout, stderr } = await runShell(script, placeOf(file))
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' })
    if (line.includes('--json')) expect(() => JSON.parse(stdout) as unknown).not.toThrow()
  })
})

it('finds the examples', () => {
  expect(EXAMPLES.map(({ file }) => file)).toEqual(['README.md', 'docs/check.md', 'docs/cycle.md'])
})

const PROGRAMS = PAGES.flatMap((file) => blocks(file, 'ts').map((code) => ({ file, code })))
const isConfiguration = ({ code }: { code: string }): boolean => code.includes('export default')

describe('a program in the docs', () => {
  it.each(PROGRAMS.filter((program) => !isConfiguration(program)))('works: $file', async ({ code }) => {
    // The library trusts nobody by itself; here its operator names the loopback site.
    const program = here(code).replace(
      'new HttpFetcher({',
      'new HttpFetcher({ allowPrivateHosts: () => true,',
    )
    expect(await runNode(['--input-type=module-typescript', '-e', program])).toEqual({
      exitCode: 0,
      stdout: 'Example: 2 links\n',
      stderr: '',
    })
  })
})

describe('a configuration in the docs', () => {
  it.each(PROGRAMS.filter(isConfiguration))('is accepted: $file', async ({ code }) => {
    const config = join(folder, 'orbweaver.config.ts')
    writeFileSync(config, code)
    const { exitCode, stderr } = await runOrbweaver(['check', '--config', config, `${site}/`])
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' })
  })
})
