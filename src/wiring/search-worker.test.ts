import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SearchProcesses } from '../adapters/serve/search-processes.ts'
import { indexFile, nodeSqlite } from '../adapters/sqlite-index/index-file.ts'
import { SqliteIndexWriter } from '../adapters/sqlite-index/sqlite-index-writer.ts'
import { steadyClock } from '../base/clock.ts'

const ID = 'http://a.test/'
const FILE = fileURLToPath(new URL('search-worker.ts', import.meta.url))
const SEARCH = { query: 'spider', offset: 0, limit: 10 }
let directory: string
let processes: SearchProcesses

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'orbweaver-worker-'))
  processes = new SearchProcesses(steadyClock, { filename: FILE, directory, processes: 1 })
})
afterAll(async () => {
  await processes.close()
  rmSync(directory, { recursive: true })
})

it('reports a missing index, finds pages, and rejects a damaged index', async () => {
  expect(await processes.search(SEARCH)).toEqual({ kind: 'no-index', directory })
  expect(await processes.document({ id: ID, query: '' })).toBeUndefined()

  const writer = SqliteIndexWriter.open(directory)
  const page = { id: ID, url: ID, host: 'a.test', content: 'a spider', anchors: [], boost: 1, tstamp: 5 }
  await writer.write([{ kind: 'put', document: { ...page, segment: '', metadata: {} } }])
  await writer.commit()
  await writer.close()
  expect(await processes.search(SEARCH)).toMatchObject({ kind: 'found', total: 1 })
  expect(await processes.document({ id: ID, query: 'spider' })).toMatchObject({
    paragraphs: [[{ marked: false }, { text: 'spider', marked: true }]],
  })

  const db = new (nodeSqlite().DatabaseSync)(indexFile(directory))
  db.exec(`UPDATE texts SET content = x'0102030405'`)
  db.close()
  await expect(processes.search(SEARCH)).rejects.toThrow(/pages\.sqlite cannot be used .*: delete it/)
  expect(await processes.document({ id: ID, query: '' })).toBeUndefined()
})

it('continues after the signals that stop the server, until the server exits', async () => {
  const child = fork(FILE, [directory], { execArgv: [], serialization: 'advanced' })
  const search = async () => {
    child.send({ name: 'search', request: SEARCH })
    return (await once(child, 'message'))[0]
  }
  const before = await search()
  child.kill('SIGINT')
  child.kill('SIGTERM')
  expect(await search()).toEqual(before)
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
})
