import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { put, remove } from '../../../testing/index-documents.ts'
import { RecordingLog } from '../../../testing/recording-log.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { CsvWriter } from './csv-writer.ts'

let folder: string
let file: string
let log: RecordingLog
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-csv-'))
  file = join(folder, 'pages.csv')
  log = new RecordingLog()
})
afterEach(() => rmSync(folder, { recursive: true }))

const HEADER =
  'id,url,host,domain,title,content,anchor,digest,boost,tstamp,lastModified,type,lang,segment,metadata\r\n'

async function written(...changes: Parameters<CsvWriter['write']>[0]): Promise<string> {
  const writer = await CsvWriter.open(file, log)
  expect(await writer.write(changes)).toEqual([])
  await writer.commit()
  await writer.close()
  return readFileSync(file, 'utf8')
}

it('has a row for each document, under a header', async () => {
  const full = put('b', {
    ...{ domain: 'a.test', title: '', content: 'say "x",\nthen y', anchors: ['one', 'two'], digest: 'ff' },
    ...{ boost: 0.5, lastModified: 0, type: 'text/html', lang: 'en', metadata: { author: 'Ada' } },
  })
  expect(await written(put('a'), full)).toBe(
    `${HEADER}a,a,a.test,,,text,,,1,2026-09-21T14:13:20.000Z,,,,20260921141320,{}\r\n` +
      'b,b,a.test,a.test,"","say ""x"",\nthen y","[""one"",""two""]",ff,0.5,2026-09-21T14:13:20.000Z,1970-01-01T00:00:00.000Z,text/html,en,20260921141320,"{""author"":""Ada""}"\r\n',
  )
})

it('continues with a file that is there, and says what it left out', async () => {
  const before = await written(put('a'))
  expect(log.events).toEqual([])
  const after = await written(put('b'), remove('a'), remove('c'))
  expect(after).toMatch(before)
  expect(after.split('\r\n').map((row) => row.split(',')[0])).toEqual(['id', 'a', 'b', ''])
  expect(log.messages).toEqual([`csv:${file}: 2 deletes skipped: rows of a CSV file cannot be deleted`])
})

it('mends what a killed process left, wherever it was killed', async () => {
  const first = await written(put('a', { content: 'one\r\ntwo "three"\n' }))
  const whole = await written(put('b', { content: 'x,\r\n"y"\r\n"' }))
  const row = (id: string) =>
    `${id},${id},a.test,,,text,,,1,2026-09-21T14:13:20.000Z,,,,20260921141320,{}\r\n`
  for (let length = 1; length < whole.length; length += 2) {
    writeFileSync(file, whole.slice(0, length))
    const kept = [whole, first, HEADER, ''].find((text) => text.length <= length) ?? ''
    expect(await written(put('c'))).toBe(`${kept === '' ? HEADER : kept}${row('c')}`)
  }
})

it('does not touch a file with other columns', async () => {
  writeFileSync(file, 'name,age\r\nAda,36')
  await expect(CsvWriter.open(file)).rejects.toThrow(ConfigurationError)
  expect(readFileSync(file, 'utf8')).toBe('name,age\r\nAda,36')
})
