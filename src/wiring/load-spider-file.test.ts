import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigurationError } from '../base/crawl-error.ts'
import { loadSpiderFile } from './load-spider-file.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-load-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function file(text: string, extension = 'ts'): string {
  const path = join(folder, `spider-${++files}.${extension}`)
  writeFileSync(path, text)
  return path
}

const SPIDER = `{ name: 'x', start: 'http://a.test/', parse() {} }`

describe('loadSpiderFile', () => {
  it('loads the default export of a TypeScript or JavaScript file', async () => {
    const typed = file(`const name: string = 'typed'\nexport default { ...${SPIDER}, name }`)
    expect(await loadSpiderFile(typed, {})).toMatchObject({ name: 'typed' })
    expect(await loadSpiderFile(file(`export default ${SPIDER}`, 'mjs'), {})).toMatchObject({ name: 'x' })
  })

  it('passes the arguments to a function', async () => {
    const path = file(`export default async (args) => ({ ...${SPIDER}, start: args.url })`)
    expect(await loadSpiderFile(path, { url: 'http://b.test/' })).toMatchObject({ start: 'http://b.test/' })
  })

  it.each<[string, string]>([
    [`export const x = 1`, 'no default export'],
    [`export default 3`, 'found 3'],
    [`export default () => undefined`, 'found undefined'],
    [`export default { name: 'x' }`, 'give start'],
    [`\nthrow new Error('on load')`, '.ts:2: on load'],
    [`export default () => {\n  throw new Error('given nothing')\n}`, '.ts:2: given nothing'],
    [`import './nothing.ts'`, 'nothing.ts'],
  ])('reports the problem with %j', async (text, message) => {
    const load = loadSpiderFile(file(text), {})
    await expect(load).rejects.toThrow(ConfigurationError)
    await expect(load).rejects.toThrow(message)
  })

  it('rejects arguments for a spider that takes none', async () => {
    await expect(loadSpiderFile(file(`export default ${SPIDER}`), { a: '1' })).rejects.toThrow(
      'takes no arguments',
    )
  })

  it('rejects a missing file, and a folder', async () => {
    await expect(loadSpiderFile(join(folder, 'none.ts'), {})).rejects.toThrow('no such file')
    await expect(loadSpiderFile(folder, {})).rejects.toThrow('is a directory')
  })
})
