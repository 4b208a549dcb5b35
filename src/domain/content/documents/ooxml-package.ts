import { DocumentProperties } from './document-properties.ts'
import type { DocumentContent, DocumentInput, DocumentLimits } from './document-reader.ts'
import { DocumentError } from './document-reader.ts'
import { readPackageXml } from './package-xml.ts'
import { ZipArchive } from './zip-archive.ts'

export interface Relationship {
  readonly id: string
  /** The last part of its type: `slide`, `hyperlink`. Transitional and strict documents differ before that. */
  readonly type: string
  /** The path of a part in the package, or a URL if `external`. */
  readonly target: string
  readonly external: boolean
}

/** Office Open XML: parts in a zip file that refer to each other by relationships. */
export class OoxmlPackage {
  readonly archive: ZipArchive
  /** Path of the main part: `word/document.xml`. */
  readonly main: string

  /** @throws DocumentError */
  constructor({ bytes }: DocumentInput, { maxExpandedBytes }: DocumentLimits) {
    this.archive = new ZipArchive(bytes, maxExpandedBytes)
    const main = this.relationshipsOf('').find(({ type }) => type === 'officeDocument')?.target
    if (main === undefined) throw new DocumentError('broken', 'the package does not name its main document')
    this.main = main
  }

  /** @param part its path; `''`: the package */
  relationshipsOf(part: string): Relationship[] {
    const slash = part.lastIndexOf('/') + 1
    const folder = part.slice(0, slash)
    const found: Relationship[] = []
    readPackageXml(this.archive, `${folder}_rels/${part.slice(slash)}.rels`, {
      open: (name, attribute) => {
        if (name !== 'Relationship') return
        const target = attribute('target') ?? ''
        const external = attribute('targetmode') === 'External'
        const type = attribute('type') ?? ''
        found.push({
          id: attribute('id') ?? '',
          type: type.slice(type.lastIndexOf('/') + 1),
          target: external ? target : resolvePath(folder, target),
          external,
        })
      },
    })
    return found
  }

  properties(): Pick<DocumentContent, 'title' | 'description' | 'language' | 'metadata'> {
    const properties = new DocumentProperties()
    const core = this.relationshipsOf('').find(({ type }) => type === 'core-properties')?.target
    readPackageXml(this.archive, core ?? 'docProps/core.xml', properties)
    return properties.properties()
  }
}

/** External targets by the id of their relationship. */
export function externalTargets(relationships: readonly Relationship[]): Map<string, string> {
  return new Map(relationships.filter(({ external }) => external).map(({ id, target }) => [id, target]))
}

/** @param folder `''`, or with a slash at its end */
export function resolvePath(folder: string, target: string): string {
  const path: string[] = target.startsWith('/') ? [] : folder.split('/').slice(0, -1)
  for (const segment of target.split('/')) {
    if (segment === '..') path.pop()
    else if (segment !== '.' && segment !== '') path.push(segment)
  }
  return path.join('/')
}
