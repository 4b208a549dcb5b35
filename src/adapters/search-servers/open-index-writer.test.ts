import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeCertificates } from '../../../testing/certificates.ts'
import { startElasticDouble } from '../../../testing/elastic-double.ts'
import { put } from '../../../testing/index-documents.ts'
import { InstantClock } from '../../../testing/instant-clock.ts'
import { startSolrDouble } from '../../../testing/solr-double.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { openIndexWriter } from './open-index-writer.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-open-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = (target: string, environment: Record<string, string> = {}) =>
  openIndexWriter(target, { clock: new InstantClock(), environment })

it('reaches a Solr over TLS, with a password from the environment', async () => {
  const certificates = makeCertificates(['127.0.0.1'])
  const caFile = join(folder, 'ca.pem')
  writeFileSync(caFile, certificates.ca)
  const authorization = `Basic ${Buffer.from('ann:secret').toString('base64')}`
  const double = await startSolrDouble({ identity: certificates.good, authorization })
  const target = `solr:${double.url.replace('//', '//ann@')}?caFile=${caFile}`
  const writer = await open(target, { ORBWEAVER_SOLR_PASSWORD: 'secret' })
  expect(writer.name).toBe(`solr:${double.url}`)
  expect(await writer.write([put('a')])).toEqual([])
  await writer.close()

  const stranger = await open(target, { ORBWEAVER_SOLR_PASSWORD: 'guess' })
  await expect(stranger.write([put('a')])).rejects.toThrow('it wants a user and a password')
  await expect(stranger.write([put('a')])).rejects.not.toThrow('guess')
  await stranger.close()
  await double.close()
})

it('reaches an Elasticsearch with an API key', async () => {
  const double = await startElasticDouble({ authorization: 'ApiKey a2V5' })
  const writer = await open(`elastic:${double.origin}/pages`, { ORBWEAVER_ELASTIC_API_KEY: 'a2V5' })
  expect(await writer.write([put('a')])).toEqual([])
  await writer.close()
  await double.close()
})

it('opens files, and names them in full', async () => {
  for (const kind of ['jsonl', 'csv']) {
    const file = join(folder, 'pages')
    const writer = await open(`${kind}:${relative(process.cwd(), file)}`)
    expect(writer.name).toBe(`${kind}:${file}`)
    await writer.close()
  }
})

it.each([
  ['that is not there', undefined, 'cannot be read'],
  ['without one', 'hello', 'holds no certificate'],
])('refuses a file of certificates %s', async (_, text, why) => {
  const caFile = join(folder, 'ca.pem')
  if (text !== undefined) writeFileSync(caFile, text)
  const opening = open(`solr:https://127.0.0.1:1/solr/x?caFile=${caFile}`)
  await expect(opening).rejects.toThrow(ConfigurationError)
  await expect(opening).rejects.toThrow(why)
})
