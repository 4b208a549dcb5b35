import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { page, reply } from '../testing/misbehaving-web/route.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from '../testing/misbehaving-web.ts'
import { runNode, runOrbweaver } from './run-orbweaver.ts'

/** Every example of the README and of docs/ is run, with a site on loopback in the place of https://example.org. */

const ROOT = join(import.meta.dirname, '..')
const PAGES = ['README.md', ...globSync('docs/*.md', { cwd: ROOT })]

let web: MisbehavingWeb
let site: string

beforeAll(async () => {
  web = await startMisbehavingWeb()
  web.serve('127.0.0.1', {
    '/': page('<title>Example</title><a href="/next">next</a> <a href="/more">more</a>'),
    '/old': reply({ status: 301, headers: { location: '/' } }),
  })
  site = web.origin('127.0.0.1')
})

afterAll(() => web.close())

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

const COMMANDS = PAGES.flatMap((file) =>
  blocks(file, 'sh').flatMap((code) =>
    Array.from(code.matchAll(/npx orbweaver (.*?)\s*(?:$|#|\|)/gm), ([, args = '']) => ({ file, args })),
  ),
)

describe('a command in the docs', () => {
  it.each(COMMANDS)('works: $file: orbweaver $args', async ({ args }) => {
    const { exitCode, stdout } = await runOrbweaver([...here(args).split(' '), '--delay', '0.05'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('success')
    if (args.includes('--json')) expect(() => JSON.parse(stdout) as unknown).not.toThrow()
  })

  it('is there', () => {
    expect(COMMANDS.length).toBeGreaterThanOrEqual(5)
  })
})

const PROGRAMS = PAGES.flatMap((file) => blocks(file, 'ts').map((code) => ({ file, code })))

describe('a program in the docs', () => {
  it.each(PROGRAMS)('works: $file', async ({ code }) => {
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
