import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { page, reply } from '../testing/misbehaving-web/route.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from '../testing/misbehaving-web.ts'
import { testDocument } from '../testing/read-test-document.ts'
import { smallZip } from '../testing/small-zip.ts'
import { runOrbweaver } from './run-orbweaver.ts'

const FILES = ['sample.docx', 'sample.doc', 'sheet.xlsx', 'slides.pptx', 'sample.epub', 'sample.rtf']
const GERMAN = 'Der Obstgarten hat mehr Körbe voller Äpfel getragen als in jedem Jahr davor.'
const CONFIG = `export default {
  parse: {
    detectLanguage: true,
    headings: ['h1'],
    readers: {
      '.foo': ({ bytes }) => ({ text: 'read by foo: ' + Buffer.from(bytes).toString(), title: 'Foo', metadata: { colour: 'red' } }),
    },
  },
  index: { metadata: ['author', 'colour', 'h1', 'languageSource'] },
}
`

let web: MisbehavingWeb
let folder: string
let dir: string
let site: string

beforeAll(async () => {
  web = await startMisbehavingWeb()
  const binary = (body: Uint8Array) =>
    reply({ headers: { 'content-type': 'application/octet-stream' }, body })
  const bomb = { mimetype: 'application/epub+zip', 'META-INF/container.xml': Buffer.alloc(40_000_000) }
  const names = [...FILES, 'bomb.epub', 'a.foo', 'german']
  web.serve('127.0.0.1', {
    '/': page(
      `<title>Home</title><h1>Documents</h1>${names.map((name) => `<a href="/${name}">${name}</a>`).join(' ')}`,
    ),
    '/german': page(`<title>Obst</title><p>${GERMAN}`),
    '/a.foo': binary(Buffer.from('bytes')),
    '/bomb.epub': reply({ headers: { 'content-type': 'application/epub+zip' }, body: smallZip(bomb) }),
    ...Object.fromEntries(FILES.map((name) => [`/${name}`, binary(testDocument(name))])),
  })
  site = web.origin('127.0.0.1')
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-documents-'))
  dir = join(folder, 'crawl')
  writeFileSync(join(folder, 'orbweaver.config.ts'), CONFIG)
})

afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})

it('crawls, reads and indexes documents of all kinds', async () => {
  const config = join(folder, 'orbweaver.config.ts')
  const run = await runOrbweaver([
    'crawl',
    dir,
    `${site}/`,
    '--config',
    config,
    '--index',
    '--delay',
    '0',
    '--email',
    'test@localhost',
  ])
  expect(run).toMatchObject({ exitCode: 0 })
  const out = join(folder, 'pages.jsonl')
  await runOrbweaver(['index', dir, '--to', `jsonl:${out}`, '--config', config])
  const documents = readFileSync(out, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown> & { url: string })
  // A page that cannot be read is deleted from the index.
  const found = Object.fromEntries(
    documents
      .filter(({ deleted }) => deleted !== true)
      .map((document) => [document.url.slice(site.length + 1), document]),
  )
  expect(Object.keys(found).sort()).toEqual(['', ...FILES, 'a.foo', 'german'].sort())
  expect(found['sample.docx']).toMatchObject({ title: 'Harvest report' })
  expect(found['a.foo']).toMatchObject({ title: 'Foo', content: 'read by foo: bytes' })
  expect(found['german']).toMatchObject({ lang: 'de' })
  const text = JSON.stringify(found)
  for (const value of ['"Ada Example"', '"red"', '"Documents"', '"detected"']) expect(text).toContain(value)
  const checked = await runOrbweaver(['check', `${site}/bomb.epub`, '--email', 'test@localhost'])
  expect(checked.stdout).toContain('expands to more than')
})
