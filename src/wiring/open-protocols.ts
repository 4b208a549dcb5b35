import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { Settings } from '../adapters/config/config-schema.ts'
import type { HttpFetcherOptions } from '../adapters/http/http-fetcher.ts'
import { FileProtocol } from '../adapters/protocols/file-protocol.ts'
import { openFtpProtocol } from '../adapters/protocols/ftp-protocol.ts'
import { ProtocolFetcher } from '../adapters/protocols/protocol-fetcher.ts'
import type { Clock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { Fetcher } from '../domain/fetch/fetcher.ts'
import type { Protocol } from '../domain/fetch/protocol.ts'

/** @throws ConfigurationError if a folder does not exist, or the package for FTP is not installed */
export async function openProtocols(
  { protocols: { file, ftp, custom }, http }: Settings,
  web: Fetcher,
  options: HttpFetcherOptions & { readonly clock: Clock },
): Promise<Fetcher> {
  const protocols = new Map<string, Protocol>(Object.entries(custom))
  for (const root of file.roots) await checkRoot(root)
  if (file.roots.length > 0) protocols.set('file:', new FileProtocol(file))
  if (ftp) protocols.set('ftp:', await openFtpProtocol(options))
  return new ProtocolFetcher({
    ...{ clock: options.clock, web, protocols },
    maxBodyBytes: http.maxBodyBytes,
    timeoutMs: http.timeoutSeconds * 1000,
  })
}

async function checkRoot(root: string): Promise<void> {
  const found = isAbsolute(root) ? await stat(root).catch(() => undefined) : undefined
  if (found?.isDirectory()) return
  const fault = isAbsolute(root) ? 'is not a folder' : 'is not an absolute path'
  throw new ConfigurationError(
    'SETTING_INVALID',
    `protocols.file.roots: ${root} ${fault}; give existing folders (--allow-files)`,
  )
}
