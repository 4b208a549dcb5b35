import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findConfigFile } from './find-config-file.ts'

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
const find = (named?: string) =>
  findConfigFile({
    crawlDirectory: '../project/crawl',
    currentDirectory: join(root, 'elsewhere'),
    ...(named !== undefined && { named }),
  })

describe('findConfigFile', () => {
  it('finds nothing where there is nothing', () => {
    expect(find()).toBeUndefined()
  })

  it('looks in the crawl directory, then beside it, then in the current directory', () => {
    const here = place('elsewhere/orbweaver.config.mjs')
    expect(find()).toBe(here)
    const beside = place('project/orbweaver.config.json')
    expect(find()).toBe(beside)
    const inside = place('project/crawl/orbweaver.config.ts')
    expect(find()).toBe(inside)
  })

  it('takes the named file before all, from the current directory', () => {
    place('project/crawl/orbweaver.config.ts')
    const mine = place('elsewhere/mine.json')
    expect(find('mine.json')).toBe(mine)
  })

  it('refuses a named file that is not there', () => {
    expect(() => find('mine.json')).toThrow(`${join(root, 'elsewhere/mine.json')}: there is no such`)
  })

  it('refuses to choose between two in one folder', () => {
    place('project/orbweaver.config.ts')
    place('project/orbweaver.config.json')
    expect(() => find()).toThrow(/orbweaver\.config\.ts and .*orbweaver\.config\.json are both there/)
  })

  it('looks in the current directory alone for a command without a crawl directory', () => {
    const here = place('elsewhere/orbweaver.config.js')
    expect(findConfigFile({ currentDirectory: join(root, 'elsewhere') })).toBe(here)
  })
})
