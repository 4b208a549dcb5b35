import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { IndexWriter } from '../../domain/indexing/index-writer.ts'
import { CsvWriter } from './csv-writer.ts'
import { ElasticWriter } from './elastic-writer.ts'
import { IndexServer } from './index-server.ts'
import { type Environment, parseIndexTarget, parseSearchTarget, type ServerTarget } from './index-target.ts'
import { JsonlWriter } from './jsonl-writer.ts'
import { ServerSearch } from './server-search.ts'
import { SolrWriter } from './solr-writer.ts'
import type { Patience } from './try-patiently.ts'

export interface OpenIndexWriterOptions extends Patience {
  /** Where users, passwords and API keys may be. */
  readonly environment: Environment
}

/**
 * Opens what a target names (`parseIndexTarget` has the forms). A server gets its first request with the first write.
 * @throws ConfigurationError
 */
export async function openIndexWriter(text: string, options: OpenIndexWriterOptions): Promise<IndexWriter> {
  const target = parseIndexTarget(text, options.environment)
  if ('file' in target) {
    // Absolute, so that the name of the writer means one file wherever it is started.
    const file = resolve(target.file)
    return target.kind === 'jsonl' ? JsonlWriter.open(file) : CsvWriter.open(file, options.log)
  }
  const server = await serverOf(target, options)
  if (target.kind === 'solr') return new SolrWriter(server, { path: target.path, ...target.options })
  return new ElasticWriter(server, { path: target.path, ...target.options })
}

/** Opens a server for searches. @throws ConfigurationError for other targets */
export async function openServerSearch(text: string, options: OpenIndexWriterOptions): Promise<ServerSearch> {
  const target = parseSearchTarget(text, options.environment)
  return new ServerSearch(await serverOf(target, options), target)
}

async function serverOf(target: ServerTarget, patience: Patience): Promise<IndexServer> {
  const { name, origin, authorization, options } = target
  const { caFile, timeoutMs } = options
  const certificates = caFile === undefined ? undefined : await readCertificates(name, caFile)
  return new IndexServer({
    ...patience,
    name,
    origin,
    ...withoutUndefined({ authorization, certificates, timeoutMs }),
  })
}

async function readCertificates(name: string, file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new ConfigurationError(
      'INDEX_TARGET_INVALID',
      `${name}: the certificates of caFile cannot be read: ${error.message}`,
    )
  })
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new ConfigurationError('INDEX_TARGET_INVALID', `${name}: ${file} holds no certificate in PEM form`)
  return text
}
