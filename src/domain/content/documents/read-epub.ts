import { scanHtml } from '../../html/scan-html.ts'
import { decodeText } from '../decode-text.ts'
import { DocumentProperties } from './document-properties.ts'
import { DocumentError, type DocumentReader } from './document-reader.ts'
import { DocumentText } from './document-text.ts'
import { resolvePath } from './ooxml-package.ts'
import { readPackageXml } from './package-xml.ts'
import { ZipArchive } from './zip-archive.ts'

/** EPUB 2 and 3: the chapters in reading order. Links within the book are left out. */
export const readEpub: DocumentReader = ({ bytes }, limits) => {
  const archive = new ZipArchive(bytes, limits.maxExpandedBytes)
  const path = packagePath(archive)
  const { properties, chapters } = readBook(archive, path)
  const text = new DocumentText(limits)
  for (const chapter of chapters) {
    const content = archive.read(chapter)
    if (content === undefined) continue
    const html = decodeText(content, { syntax: 'html', headerCharset: undefined }).text
    const scan = scanHtml(html, { maxTextChars: limits.maxTextChars, maxLinks: limits.maxLinks })
    text.add(scan.text)
    if (scan.textTruncated) text.markTruncated()
    text.separate('\n')
    for (const { href, anchor } of scan.links) if (ABSOLUTE.test(href)) text.link(href, anchor)
  }
  return { ...properties.properties(), ...text.content() }
}

const ABSOLUTE = /^\s*https?:/i

function packagePath(archive: ZipArchive): string {
  let path: string | undefined
  readPackageXml(archive, 'META-INF/container.xml', {
    open: (name, attribute) => {
      if (name === 'rootfile') path ??= attribute('full-path')
    },
  })
  if (archive.has('META-INF/encryption.xml') && isProtected(archive))
    throw new DocumentError('encrypted', 'the book has copy protection')
  if (path === undefined) throw new DocumentError('broken', 'META-INF/container.xml does not name a package')
  return path
}

/** Fonts are often obfuscated, which is not a protection of the text. */
function isProtected(archive: ZipArchive): boolean {
  let found = false
  readPackageXml(archive, 'META-INF/encryption.xml', {
    open: (name, attribute) => {
      if (name === 'CipherReference') found ||= /\.x?html?$/i.test(attribute('uri') ?? '')
    },
  })
  return found
}

function readBook(archive: ZipArchive, path: string) {
  // `dc:date` is the date of publication.
  const properties = new DocumentProperties({ date: 'published' })
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const files = new Map<string, string>()
  const chapters = new Set<string>()
  let modified: string | undefined
  readPackageXml(archive, path, {
    open: (name, attribute) => {
      properties.open(name)
      if (name === 'item') files.set(attribute('id') ?? '', decodePath(attribute('href') ?? ''))
      else if (name === 'itemref') {
        const file = files.get(attribute('idref') ?? '')
        if (file !== undefined) chapters.add(resolvePath(folder, file))
      } else if (name === 'meta' && attribute('property') === 'dcterms:modified') modified = ''
    },
    text: (text) => {
      properties.text(text)
      if (modified === '') modified = text
    },
    close: () => properties.close(),
  })
  if (modified !== undefined) properties.set('modified', modified)
  return { properties, chapters }
}

/** References in a package are URLs; the names of files are not. */
function decodePath(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}
