import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

export interface WebFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly type: string
  /** Its name changes with its content. */
  readonly immutable: boolean
}

/** The built files of the page, by path: `/index.html`, `/assets/…`. They are kept in memory: no request reads the file system. */
export async function readWebFiles(folder: string): Promise<ReadonlyMap<string, WebFile>> {
  const files = new Map<string, WebFile>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, file).split(sep).join('/')}`
    files.set(path, {
      bytes: new Uint8Array(await readFile(file)),
      type,
      immutable: path.startsWith('/assets/'),
    })
  }
  return files
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
