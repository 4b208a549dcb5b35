import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { openIndexFile } from './index-file.ts'
import { SqliteIndexWriter } from './sqlite-index-writer.ts'

it('has another version whenever what is stored, and how, is another', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-version-'))
  try {
    const writer = SqliteIndexWriter.open(dir)
    await writer.write([{ kind: 'put', document: DOCUMENT }])
    await writer.commit()
    await writer.close()
    const db = openIndexFile(dir)
    const { content, ...text } = db.prepare('SELECT * FROM texts').get() ?? {}
    db.exec('CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, col)')
    const words = db.prepare('SELECT term, col FROM vocabulary ORDER BY col, term').all()
    const stored = {
      version: db.prepare('SELECT * FROM meta').all(),
      tables: db.prepare(`SELECT sql FROM sqlite_schema WHERE name IN ('pages', 'texts', 'words')`).all(),
      page: db.prepare('SELECT * FROM pages').get(),
      text: { ...text, content: inflateRawSync(content as Uint8Array).toString() },
      words: words.map(({ term, col }) => `${col}: ${term}`),
    }
    db.close()
    // When this is another, raise VERSION: an index that was made before would be misread.
    expect(JSON.stringify(stored, undefined, 1)).toMatchInlineSnapshot(`
      "{
       "version": [
        {
         "key": "version",
         "value": "2"
        }
       ],
       "tables": [
        {
         "sql": "CREATE TABLE pages (\\n  row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, url TEXT NOT NULL, host TEXT NOT NULL, domain TEXT, title TEXT, name TEXT,\\n  type TEXT, lang TEXT, weight REAL NOT NULL, boost REAL NOT NULL, date INTEGER NOT NULL, tstamp INTEGER NOT NULL,\\n  last_modified INTEGER, published INTEGER, digest TEXT, segment TEXT NOT NULL, cluster TEXT\\n)"
        },
        {
         "sql": "CREATE TABLE texts (\\n  row INTEGER PRIMARY KEY, headings TEXT NOT NULL, anchors TEXT NOT NULL, description TEXT, metadata TEXT NOT NULL, content BLOB NOT NULL\\n)"
        },
        {
         "sql": "CREATE VIRTUAL TABLE words USING fts5(\\n  title, headings, anchors, address, content, shared, labels, content = '', contentless_delete = 1, tokenize = 'ascii'\\n)"
        }
       ],
       "page": {
        "row": 1,
        "id": "http://www.a.test/x",
        "url": "http://www.a.test/Orb%20web",
        "host": "www.a.test",
        "domain": "a.test",
        "title": "Crème brûlée",
        "name": "Crème brûlée",
        "type": "text/html",
        "lang": "pt-br",
        "weight": 1.5364793041447,
        "boost": 4,
        "date": 1790000000000,
        "tstamp": 1790000000000,
        "last_modified": null,
        "published": null,
        "digest": "ab",
        "segment": "20261116000000",
        "cluster": null
       },
       "text": {
        "row": 1,
        "headings": "[]",
        "anchors": "[\\"an orb\\"]",
        "description": null,
        "metadata": "{\\"author\\":\\"x\\"}",
        "content": "Ａ web, 北京大学. 고양이가"
       },
       "words": [
        "address: a",
        "address: orb",
        "address: test",
        "address: web",
        "address: www",
        "anchors: an",
        "anchors: orb",
        "content: a",
        "content: web",
        "content: 京",
        "content: 北",
        "content: 大",
        "content: 学",
        "content: 가",
        "content: 고",
        "content: 양",
        "content: 이",
        "labels: date2026",
        "labels: date2026m9",
        "labels: date2026m9d21",
        "labels: langpt",
        "labels: langptx2dxbr",
        "labels: page",
        "labels: siteax2extest",
        "labels: sitetest",
        "labels: sitewwwx2exax2extest",
        "labels: typehtml",
        "labels: typetex78xt",
        "labels: typetex78xtx2fxhtml",
        "title: brulee",
        "title: creme"
       ]
      }"
    `)
  } finally {
    rmSync(dir, { recursive: true })
  }
})

const DOCUMENT = {
  ...{ id: 'http://www.a.test/x', url: 'http://www.a.test/Orb%20web', host: 'www.a.test', domain: 'a.test' },
  ...{
    title: 'Crème brûlée',
    content: 'Ａ web, 北京大学. 고양이가',
    anchors: ['an orb'],
    boost: 4,
    tstamp: 1_790_000_000_000,
  },
  ...{ type: 'text/html', lang: 'pt-br', digest: 'ab', segment: '20261116000000', metadata: { author: 'x' } },
}
