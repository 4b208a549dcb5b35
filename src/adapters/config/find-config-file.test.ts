import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ConfigSearch, findConfigFile } from './find-config-file.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'orbweaver-config-'))
  mkdirSync(join(root, 'project/crawl'), { recursive: true })
  mkdirSync(join(root, 'elsewhere'))
})
afterEach(() => rmSync(root, { recursive: true }))

const place = (path: string) => {
  writeFileSync(join(root, path), '{}')
  return join(root, path)
}
const find = (options: Partial<ConfigSearch> = {}) =>
  findConfigFile({
    crawlDirectory: '../project/crawl',
    currentDirectory: join(root, 'elsewhere'),
    ...options,
  })

describe('findConfigFile', () => {
  it('returns nothing when there is no file', () => {
    expect(find()).toEqual({})
  })

  it('searches the crawl directory, then its parent, then the current directory', () => {
    const here = place('elsewhere/orbweaver.config.mjs')
    expect(find()).toEqual({ file: here })
    const above = place('project/orbweaver.config.json')
    expect(find()).toEqual({ file: above })
    const inside = place('project/crawl/orbweaver.config.json')
    expect(find()).toEqual({ file: inside })
  })

  it('prefers the named file, relative to the current directory', () => {
    const inside = place('project/crawl/orbweaver.config.ts')
    const mine = place('elsewhere/mine.json')
    expect(find({ named: 'mine.json' })).toEqual({ file: mine })
    expect(find({ named: inside, loadsCode: false })).toEqual({ file: inside })
  })

  it('rejects a named file that does not exist', () => {
    expect(() => find({ named: 'mine.json' })).toThrow(
      `${join(root, 'elsewhere/mine.json')}: configuration file not found`,
    )
  })

  it('rejects two files in one folder', () => {
    place('project/orbweaver.config.ts')
    place('project/orbweaver.config.json')
    expect(() => find()).toThrow(/orbweaver\.config\.ts and .*orbweaver\.config\.json both exist/)
  })

  it('searches only the current directory for a command without a crawl directory', () => {
    const here = place('elsewhere/orbweaver.config.js')
    expect(findConfigFile({ currentDirectory: join(root, 'elsewhere') })).toEqual({ file: here })
  })

  it.each(['project/crawl', 'project'])(
    'does not load code from %s, and the message tells how to allow it',
    (folder) => {
      const file = place(`${folder}/orbweaver.config.ts`)
      expect(() => find()).toThrow(`${file} is code, and code is loaded only from the current directory`)
      expect(() => find()).toThrow(`--config ${file}`)
    },
  )

  it('loads code from a crawl directory that is the current one', () => {
    const file = place('project/crawl/orbweaver.config.ts')
    const currentDirectory = join(root, 'project/crawl')
    expect(find({ crawlDirectory: '.', currentDirectory })).toEqual({ file })
    expect(find({ crawlDirectory: '../crawl/', currentDirectory })).toEqual({ file })
  })

  it('does not load code for a command that only reads, even from the current directory', () => {
    const inside = place('project/crawl/orbweaver.config.ts')
    expect(find({ loadsCode: false })).toEqual({ notLoaded: inside })
    place('elsewhere/orbweaver.config.mjs')
    expect(find({ loadsCode: false })).toEqual({ notLoaded: inside })
    const above = place('project/orbweaver.config.json')
    expect(find({ loadsCode: false })).toEqual({ file: above, notLoaded: inside })
  })
})
