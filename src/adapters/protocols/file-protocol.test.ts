import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FileProtocol } from './file-protocol.ts'

let folder: string
let root: string

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'orbweaver-files-')))
  root = join(folder, 'root')
  mkdirSync(join(root, 'sub'), { recursive: true })
  mkdirSync(`${root}-other`)
  writeFileSync(join(root, 'a.txt'), 'twelve bytes')
  writeFileSync(join(root, 'sub', 'q?#%&<é.txt'), 'odd name')
  writeFileSync(join(root, '.hidden'), 'hidden')
  writeFileSync(join(folder, 'outside.txt'), 'outside')
  writeFileSync(join(`${root}-other`, 'b.txt'), 'other')
  symlinkSync(join(folder, 'outside.txt'), join(root, 'escape'))
  symlinkSync(folder, join(root, 'escape-folder'))
  symlinkSync('missing', join(root, 'dangling'))
  symlinkSync('self', join(root, 'self'))
  symlinkSync('a.txt', join(root, 'alias'))
  execFileSync('mkfifo', [join(root, 'pipe')])
})

afterAll(() => rmSync(folder, { recursive: true }))

const fetchFile = (
  path: string,
  more: { maxBodyBytes?: number; etag?: string; lastModified?: string } = {},
) => {
  const { maxBodyBytes = 1_000, ...validators } = more
  return new FileProtocol({ roots: [root] }).fetch({
    url: path.startsWith('file:') ? path : pathToFileURL(path).href,
    maxBodyBytes,
    validators,
    signal: new AbortController().signal,
  })
}
const textOf = (body: Uint8Array | undefined) => Buffer.from(body ?? []).toString()
const headerOf = (headers: readonly (readonly [string, string])[] = [], name: string) =>
  headers.find(([one]) => one === name)?.[1]

it('reads a file up to the limit', async () => {
  const whole = await fetchFile(join(root, 'a.txt'))
  expect([whole.status, textOf(whole.body), whole.truncated]).toEqual([200, 'twelve bytes', false])
  const cut = await fetchFile(join(root, 'a.txt'), { maxBodyBytes: 6 })
  expect([textOf(cut.body), cut.truncated]).toEqual(['twelve', true])
})

it('says that a file has not changed, by its ETag or its date', async () => {
  const { headers } = await fetchFile(join(root, 'a.txt'))
  const etag = headerOf(headers, 'etag') ?? ''
  const lastModified = headerOf(headers, 'last-modified') ?? ''
  expect(await fetchFile(join(root, 'a.txt'), { etag, lastModified })).toMatchObject({ status: 304 })
  expect(await fetchFile(join(root, 'a.txt'), { lastModified })).toMatchObject({ status: 304 })
  // Changed within the second that a date tells.
  expect(await fetchFile(join(root, 'a.txt'), { etag: '"1-1"', lastModified })).toMatchObject({ status: 200 })
})

it('lists a folder without hidden and special files, and its links lead to the files', async () => {
  const page = await fetchFile(pathToFileURL(`${root}/`).href)
  const names = [...textOf(page.body).matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href)
  expect(names).toEqual([
    './a.txt',
    './alias',
    './dangling',
    './escape',
    './escape-folder',
    './self',
    './sub/',
  ])
  const sub = await fetchFile(pathToFileURL(`${root}/sub/`).href)
  const [, href = ''] = /href="([^"]*)"/.exec(textOf(sub.body)) ?? []
  const url = new URL(href, pathToFileURL(`${root}/sub/`)).href
  expect(textOf((await fetchFile(url)).body)).toBe('odd name')
})

it('redirects to the real name', async () => {
  expect(await fetchFile(join(root, 'alias'))).toMatchObject({
    status: 301,
    headers: [['location', pathToFileURL(join(root, 'a.txt')).href]],
  })
  expect(await fetchFile(root)).toMatchObject({ status: 301 })
})

it.each(['escape', 'escape-folder/outside.txt', 'escape-folder/root-other/b.txt', 'sub/../../outside.txt'])(
  'refuses %s, which is not in the folder',
  async (path) => {
    await expect(fetchFile(`${pathToFileURL(root).href}/${path}`)).rejects.toThrow('--allow-files')
  },
)

it('refuses a folder whose name only starts like that of the root', async () => {
  await expect(fetchFile(join(`${root}-other`, 'b.txt'))).rejects.toThrow('--allow-files')
})

it('refuses a pipe without waiting for a writer', async () => {
  await expect(fetchFile(join(root, 'pipe'))).rejects.toThrow('neither a file nor a folder')
})

it.each([
  ['missing', 404],
  ['dangling', 404],
  ['a.txt/below', 404],
  ['self', 403],
])('responds to %s with %i', async (path, status) => {
  expect(await fetchFile(join(root, path))).toMatchObject({ status })
})

// Root may read everything.
it.skipIf(process.getuid?.() === 0)('responds with 403 to a file that may not be read', async () => {
  writeFileSync(join(root, 'closed'), '')
  chmodSync(join(root, 'closed'), 0)
  expect(await fetchFile(join(root, 'closed'))).toMatchObject({ status: 403 })
})
