import { z } from 'zod'
import type { Protocol } from '../../domain/fetch/protocol.ts'
import { booleanValue, docs, implementation, listValue, stringValue } from './config-values.ts'

/** The keys of `protocols`. */
export function protocolSection() {
  return {
    file: z
      .strictObject({
        roots: listValue(stringValue(/./, 'a folder'), 'folders').default([]).register(docs, {
          description: 'Folders whose files may be read by `file:` URLs, as absolute paths. Default: none.',
        }),
        hidden: booleanValue().default(false).register(docs, {
          description: 'List files and folders whose names start with a dot.',
        }),
      })
      .readonly()
      .prefault({})
      .register(docs, { description: 'Local and mounted files.' }),
    ftp: booleanValue().default(false).register(docs, {
      description: 'Fetch `ftp:` URLs, with the package `basic-ftp`.',
    }),
    custom: z
      .record(
        stringValue(
          /^(?!(?:https?|file|ftp|data|blob|javascript):)[a-z][a-z\d+.-]*:$/,
          "a scheme like 'foo:'",
        ),
        implementation<Protocol>('Protocol', ['fetch']),
        { error: 'expected schemes with their protocols' },
      )
      .readonly()
      .default({})
      .register(docs, {
        description: 'Your own protocols, by scheme: `{ "foo:": protocol }`.',
        displayType: 'object of `Protocol`',
      }),
  }
}

interface ProtocolSettings {
  readonly file: { readonly roots: readonly string[] }
  readonly ftp: boolean
  readonly custom: Readonly<Record<string, Protocol>>
}

/** Schemes that a crawl may fetch besides http and https. */
export function enabledSchemes({ file, ftp, custom }: ProtocolSettings): string[] {
  return [...(file.roots.length > 0 ? ['file:'] : []), ...(ftp ? ['ftp:'] : []), ...Object.keys(custom)]
}
