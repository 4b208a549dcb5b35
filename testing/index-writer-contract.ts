import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { IndexDocument } from '../src/domain/indexing/index-document.ts'
import type { IndexChange, IndexWriter } from '../src/domain/indexing/index-writer.ts'

/** The stored fields of a document. Fields that the index does not have are absent; the others must be as written. */
export type StoredDocument = Pick<IndexDocument, 'id' | 'content'> & Partial<IndexDocument>

/** A new, empty index, a writer, and functions that read it without that writer. */
export interface OpenIndex {
  readonly writer: IndexWriter
  /** The documents that a search finds now. */
  stored(): Promise<readonly StoredDocument[]>
  /** Another writer on the same index; closed by the contract. */
  reopen(): Promise<IndexWriter>
  /** After the writers were closed. */
  close(): Promise<void>
}

export interface IndexWriterContractOptions {
  /** A change that this index always rejects. @default none */
  readonly refused?: IndexChange
}

/** Contract tests of every index writer. */
export function indexWriterContract(
  name: string,
  openIndex: () => Promise<OpenIndex>,
  { refused }: IndexWriterContractOptions = {},
): void {
  describe(`${name} as an index writer`, () => {
    let index: OpenIndex
    let writers: IndexWriter[]
    beforeEach(async () => {
      index = await openIndex()
      writers = [index.writer]
    })
    afterEach(async () => {
      for (const writer of writers) await writer.close()
      await index.close()
    })

    const write = async (...changes: readonly IndexChange[]) => {
      const refusals = await index.writer.write(changes)
      await index.writer.commit()
      return refusals
    }
    const ids = async () => (await index.stored()).map(({ id }) => id).sort()
    const expectStored = async (...documents: readonly IndexDocument[]) => {
      const stored = new Map((await index.stored()).map((document) => [document.id, document]))
      expect([...stored.keys()].sort()).toEqual(documents.map(({ id }) => id).sort())
      for (const document of documents) expectKept(stored.get(document.id), document)
    }

    it('has a name and a batch size', () => {
      expect(index.writer.name).not.toBe('')
      expect(index.writer.batchSize).toBeGreaterThan(0)
    })

    it('makes documents searchable after the commit', async () => {
      expect(await write(put(BARE), put(FULL))).toEqual([])
      await expectStored(BARE, FULL)
    })

    it('replaces a document whole', async () => {
      await write(put({ ...BARE, ...FULL, id: BARE.id }))
      await write(put(BARE))
      await expectStored(BARE)
      await write(put({ ...FULL, id: BARE.id }))
      await expectStored({ ...FULL, id: BARE.id })
    })

    it('deletes a document', async () => {
      await write(put(BARE), put(FULL))
      expect(await write(remove(BARE.id))).toEqual([])
      await expectStored(FULL)
    })

    it('accepts the deletion of an unknown document', async () => {
      await write(put(BARE))
      expect(await write(remove('http://nowhere.test/'))).toEqual([])
      await expectStored(BARE)
    })

    it('keeps the order of changes of one id, in a batch and across batches', async () => {
      const [first, second] = [document('http://order.test/a', 'old'), document('http://order.test/b', 'old')]
      const later = { ...first, content: 'new' }
      await write(put(first), put(later), put(second), remove(second.id))
      await expectStored(later)
      await write(remove(later.id), put(second), put(first))
      await expectStored(first, second)
      await index.writer.write([put(later)])
      await index.writer.write([remove(later.id)])
      await write(put(later))
      await expectStored(later, second)
    })

    it('has the same content after a repeated batch', async () => {
      const batch = [put(BARE), put(FULL), remove(BARE.id), put(document('http://again.test/', 'twice'))]
      await write(...batch)
      await write(...batch)
      await index.writer.write(batch)
      await write(...batch)
      await expectStored(FULL, document('http://again.test/', 'twice'))
    })

    it('continues where another writer stopped', async () => {
      await write(put(BARE), put(FULL))
      await index.writer.close()
      const next = await index.reopen()
      writers = [next]
      await next.write([remove(FULL.id), put({ ...BARE, content: 'changed' })])
      await next.commit()
      await expectStored({ ...BARE, content: 'changed' })
    })

    it('returns hostile texts unchanged', async () => {
      const documents = HOSTILE_TEXTS.map((text, i) => ({
        ...document(`http://hostile.test/${i}`, text),
        title: text,
        anchors: [text, `x${text}`],
        metadata: { note: text },
      }))
      expect(await write(...documents.map(put))).toEqual([])
      await expectStored(...documents)
    })

    it('accepts and deletes ids that look like query syntax', async () => {
      const documents = HOSTILE_IDS.map((id) => document(id, 'x'))
      await write(...documents.map(put))
      await expectStored(...documents)
      await write(...HOSTILE_IDS.map(remove))
      expect(await ids()).toEqual([])
    })

    it('accepts a large document', async () => {
      const large = document('http://large.test/', 'Ein großer Text, 一篇很长的文章. '.repeat(60_000))
      expect(await write(put(large), put(BARE))).toEqual([])
      await expectStored(large, BARE)
    })

    it('accepts more changes than its batch size', async () => {
      const count = Math.min(index.writer.batchSize + 1, 1_200)
      const documents = Array.from({ length: count }, (_, i) =>
        document(`http://many.test/${i}`, `page ${i}`),
      )
      expect(await write(...documents.map(put))).toEqual([])
      expect(await ids()).toEqual(documents.map(({ id }) => id).sort())
    })

    it('accepts an empty batch, and a commit without changes', async () => {
      expect(await write()).toEqual([])
      await index.writer.commit()
      expect(await ids()).toEqual([])
    })

    if (refused !== undefined) {
      it('reports rejected changes, and accepts the others', async () => {
        const refusals = await write(put(BARE), refused, put(FULL))
        expect(refusals).toMatchObject([{ id: idOf(refused) }])
        expect(refusals[0]?.reason).not.toBe('')
        await expectStored(BARE, FULL)
      })
    }
  })
}

function expectKept(stored: StoredDocument | undefined, document: IndexDocument): void {
  expect(stored?.content === document.content, `content of ${document.id} is as it was`).toBe(true)
  const { content: _, ...rest } = stored ?? document
  for (const [field, value] of Object.entries(rest))
    expect({ id: document.id, field, value }).toEqual({
      id: document.id,
      field,
      value: document[field as keyof IndexDocument],
    })
}

const put = (document: IndexDocument): IndexChange => ({ kind: 'put', document })
const remove = (id: string): IndexChange => ({ kind: 'delete', id })
const idOf = (change: IndexChange) => (change.kind === 'put' ? change.document.id : change.id)

function document(id: string, content: string): IndexDocument {
  return {
    id,
    url: id,
    host: 'contract.test',
    content,
    anchors: [],
    boost: 1,
    tstamp: 1_790_000_000_000,
    segment: '20260921141320',
    metadata: {},
  }
}

const BARE = document('http://contract.test/bare', '')

const FULL: IndexDocument = {
  id: 'http://contract.test/full?a=1&b=2',
  url: 'http://contract.test/full',
  host: 'contract.test',
  domain: 'contract.test',
  title: 'A full document',
  description: 'What a full document has',
  headings: ['First', 'Second'],
  content: 'First line\nsecond line, grüne Äpfel, 中文 and \u{1f578}',
  anchors: ['full', 'the full one'],
  digest: '0123456789abcdef0123456789abcdef',
  boost: 0.1875,
  tstamp: 1_790_000_000_123,
  lastModified: 1_700_000_000_000,
  published: 1_690_000_000_000,
  type: 'text/html',
  lang: 'pt-br',
  segment: '20260921141320',
  cluster: '00ff00ff00ff00ff',
  metadata: { author: 'Ada', tags: ['one', 'two'] },
}

/** As documents may hold them: without the characters that documents never have (controls, lone surrogates, non-characters). */
const HOSTILE_TEXTS = [
  '',
  ' leading and trailing ',
  `'"\`; DROP TABLE documents; --`,
  '\\ \\" \\n \\u0000 %00 #{x} {{x}} $(x)',
  '<script>alert(1)</script> & &lt; ]]> <!--',
  '=HYPERLINK("http://evil.test","x"),+1,-1,@x;\t"a""b"',
  'line\nline\r\nline\u2028line\u2029line',
  '\u202egnirts desrever\u202c \u200b\u00ad\ufeff',
  '{"index":{"_id":"x"}}\n{"delete":{"_id":"x"}}',
  'e\u0301 é ﷺ \u{1f469}\u200d\u{1f4bb} \u{20000} ｆｕｌｌ',
  'NULL',
  '__proto__',
]

const HOSTILE_IDS = [
  'http://id.test/?q="quoted"&x=\'single\'',
  'http://id.test/*',
  'http://id.test/a%2Fb%20c',
  'http://id.test/a/../b#c',
  'http://id.test/AND OR NOT (x) [a TO b] {c} ~2 ^3',
  'http://id.test/grün/中文',
  'http://id.test/%',
  'http://id.test/_',
  `http://id.test/${'long/'.repeat(90)}`,
]
