import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { rememberPrivateHosts } from './private-hosts-file.ts'

let dir: string
let lookedUp: string[]
/** What is private now. */
let internal: Set<string>

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'private-hosts-'))
  lookedUp = []
  internal = new Set(['wiki.corp'])
})

afterEach(() => rm(dir, { recursive: true }))

const lookUp = async (hosts: Iterable<string>) => {
  const list = [...hosts]
  lookedUp.push(...list)
  return list.filter((host) => internal.has(host))
}

it('remembers what was private when it was named, and looks up each name once', async () => {
  expect(await rememberPrivateHosts(dir, [], ['wiki.corp', 'a.test'], lookUp)).toEqual(['wiki.corp'])
  internal = new Set(['a.test', 'new.corp'])
  const named = ['wiki.corp', 'a.test', 'new.corp']
  expect(await rememberPrivateHosts(dir, ['wiki.corp', 'a.test'], named, lookUp)).toEqual([
    'wiki.corp',
    'new.corp',
  ])
  expect(await rememberPrivateHosts(dir, named, named, lookUp)).toEqual(['wiki.corp', 'new.corp'])
  expect(lookedUp).toEqual(['wiki.corp', 'a.test', 'new.corp'])
})

it('looks up all names of a crawl that was made before there was a file', async () => {
  expect(await rememberPrivateHosts(dir, ['wiki.corp'], ['wiki.corp'], lookUp)).toEqual(['wiki.corp'])
  expect(await rememberPrivateHosts(dir, ['a.test', 'wiki.corp'], ['wiki.corp', 'a.test'], lookUp)).toEqual([
    'wiki.corp',
  ])
  expect(lookedUp).toEqual(['wiki.corp'])
})

it('trusts no file that it cannot understand', async () => {
  await writeFile(join(dir, 'private-hosts.json'), '{"hosts": [')
  expect(await rememberPrivateHosts(dir, ['wiki.corp'], ['wiki.corp'], lookUp)).toEqual([])
})
