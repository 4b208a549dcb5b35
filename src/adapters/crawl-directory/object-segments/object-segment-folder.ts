import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { type DurableFiles, diskFiles } from '../../../base/durable-files.ts'
import { ifExists } from '../../../base/if-exists.ts'
import { runLimited } from '../../../base/run-limited.ts'
import {
  type ObjectStore,
  ObjectStoreRefused,
  ObjectStoreUnavailable,
} from '../../../domain/object-store/object-store.ts'
import { SEGMENT_DIRECTORIES, type SegmentDirectory } from '../../../domain/segment/segment-columns.ts'
import type { Merge } from '../../../domain/segment/segment-merger.ts'
import { SegmentMissing } from '../../../domain/segment/segment-store.ts'
import {
  completeMerges,
  listSegments,
  MERGE_FILE,
  parseMerge,
  type SegmentFiles,
  segmentFiles,
} from '../segment-files.ts'
import {
  committedParts,
  filesIn,
  LocalSegmentFolder,
  type Release,
  type SegmentFolder,
} from '../segment-folder.ts'
import { LocalCopies, type ObjectVersion } from './local-copies.ts'

/** The segments of a crawl in an object store; README.md describes keys and local files. */
export class ObjectSegmentFolder implements SegmentFolder {
  readonly path: string
  readonly #store: ObjectStore
  readonly #disk: DurableFiles
  readonly #copies: LocalCopies
  readonly #local: LocalSegmentFolder
  /** The objects of a segment by path, as they were last listed. */
  readonly #listed = new Map<string, ReadonlyMap<string, ObjectVersion>>()
  readonly #bringing = new Map<string, Promise<void>>()

  /**
   * @param path the directory `segments` of the crawl directory
   * @param maxBytes of copies of objects
   */
  constructor(path: string, store: ObjectStore, maxBytes: number, disk: DurableFiles = diskFiles) {
    this.path = path
    this.#disk = disk
    this.#store = store
    this.#copies = new LocalCopies(path, maxBytes)
    this.#local = new LocalSegmentFolder(path)
  }

  async list(): Promise<string[]> {
    const names = new Set(await this.#unpublished())
    for await (const { key } of this.#store.list(MARKERS)) names.add(segmentOf(key))
    return [...names].sort()
  }

  async files(name: string): Promise<SegmentFiles | undefined> {
    if (!/^\d{14}$/.test(name)) return undefined
    const [isPublished, objects] = await Promise.all([this.#isPublished(name), this.#objects(name)])
    const path = join(this.path, name)
    const local = await this.#local.files(name)
    if (local === undefined) return isPublished ? committedFiles(path, [...objects.keys()]) : undefined
    if (!isPublished) return (await isMarkedPublished(path)) ? undefined : local
    const waiting = await this.#waiting(local)
    const own = filesIn(local, ...SEGMENT_DIRECTORIES).filter((file) => waiting.has(basename(file)))
    return committedFiles(path, [...new Set([...objects.keys(), ...own])])
  }

  async hold(files: readonly string[]): Promise<Release> {
    for (const file of files) this.#copies.hold(file)
    const release = () => {
      for (const file of files) this.#copies.release(file)
    }
    try {
      await runLimited(files, CONCURRENCY, (file) => this.#bring(file))
      await this.#copies.shrink()
    } catch (error) {
      release()
      throw error
    }
    return release
  }

  async renew(file: string): Promise<boolean> {
    if (!(await this.#copies.isCopy(file))) return false
    await this.#copies.delete(file)
    await this.#bring(file)
    return true
  }

  async publish(name: string, part?: string): Promise<void> {
    try {
      await this.#publish(name, part)
    } catch (error) {
      if (error instanceof ObjectStoreRefused || error instanceof ObjectStoreUnavailable)
        error.message += `. Segment ${name} is kept in ${this.path}, and put by the next command that changes the crawl`
      throw error
    }
    await this.#copies.shrink()
  }

  async #publish(name: string, part: string | undefined): Promise<void> {
    const path = join(this.path, name)
    const files = filesIn(await segmentFiles(path), ...SEGMENT_DIRECTORIES)
    await this.#putAll(files.filter((file) => part === undefined || basename(file) === part))
    if (part !== undefined) return
    const merge = await ifExists(readFile(join(path, MERGE_FILE)))
    await this.#store.put(markerOf(name), merge ?? NO_MERGE)
    await this.#markPublished(path)
  }

  async remove(name: string, part?: string): Promise<void> {
    if (part === undefined) return this.#removeSegment(name)
    const keys = SEGMENT_DIRECTORIES.toReversed().map((directory) => `${name}/${directory}/${part}`)
    // Without the object of crawl_fetch the part does not count.
    for (const key of keys) await this.#store.delete([key])
    for (const directory of SEGMENT_DIRECTORIES.toReversed())
      await this.#copies.delete(join(this.path, name, directory, part))
  }

  async merges(): Promise<readonly Merge[]> {
    const merges: Merge[] = []
    const names: string[] = []
    for await (const { key, bytes } of this.#store.list(MARKERS)) {
      names.push(segmentOf(key))
      const text = bytes > NO_MERGE.byteLength ? await this.#store.get(key) : undefined
      const merge = text === undefined ? undefined : parseMerge(new TextDecoder().decode(text))
      if (merge !== undefined) merges.push(merge)
    }
    return completeMerges(merges, names)
  }

  async recover(): Promise<void> {
    for (const entry of (await ifExists(readdir(this.path))) ?? []) {
      const [, name] = REMOVING.exec(entry) ?? []
      if (name !== undefined) await this.#removeSegment(name)
    }
    for (const name of await this.#unpublished()) await this.publish(name)
    for (const name of await listSegments(this.path)) {
      const local = await this.#local.files(name)
      if (local === undefined) continue
      for (const part of await this.#waiting(local)) await this.publish(name, part)
    }
  }

  /** After a power failure, a copy without this note would look like a new segment, and be put again: also one that was deleted. */
  async #markPublished(segmentPath: string): Promise<void> {
    if (await isMarkedPublished(segmentPath)) return
    await writeFile(publishedNote(segmentPath), '')
    await this.#disk.sync(segmentPath)
  }

  /** Segments that are complete here and have not been put yet. */
  async #unpublished(): Promise<string[]> {
    const names: string[] = []
    for (const name of await listSegments(this.path))
      if (!(await isMarkedPublished(join(this.path, name)))) names.push(name)
    return names
  }

  /** Names of the local parts that are not put yet. */
  async #waiting(local: SegmentFiles): Promise<Set<string>> {
    const waiting = new Set<string>()
    for (const file of local.crawl_fetch) {
      if (!(await this.#copies.isCopy(file))) waiting.add(basename(file))
    }
    return waiting
  }

  async #isPublished(name: string): Promise<boolean> {
    for await (const { key } of this.#store.list(markerOf(name))) return key === markerOf(name)
    return false
  }

  async #objects(name: string): Promise<ReadonlyMap<string, ObjectVersion>> {
    const objects = new Map<string, ObjectVersion>()
    for await (const { key, bytes, etag } of this.#store.list(`${name}/`))
      objects.set(join(this.path, ...key.split('/')), { bytes, etag })
    this.#listed.set(name, objects)
    return objects
  }

  /** Makes a file readable; once at a time. */
  #bring(file: string): Promise<void> {
    const running = this.#bringing.get(file)
    if (running !== undefined) return running
    const bringing = this.#bringFile(file).finally(() => this.#bringing.delete(file))
    this.#bringing.set(file, bringing)
    return bringing
  }

  async #bringFile(file: string): Promise<void> {
    const object = this.#listed.get(basename(dirname(dirname(file))))?.get(file)
    if (await this.#copies.isCurrent(file, object)) return this.#copies.touch(file)
    if (object !== undefined && (await this.#download(file, object))) return
    throw new SegmentMissing(
      `${this.#store.url}/${this.#keyOf(file)} was deleted while it was read, as mergesegs --delete does; run the command again`,
    )
  }

  /** `false` if there is no such object any more. */
  async #download(file: string, object: ObjectVersion): Promise<boolean> {
    await mkdir(dirname(file), { recursive: true })
    await this.#markPublished(dirname(dirname(file)))
    // Before the file, which would otherwise look like one that is not put yet.
    await this.#copies.note(file, object)
    if (!(await this.#store.download(this.#keyOf(file), file))) return false
    const { size } = await stat(file)
    if (size === object.bytes) return true
    await this.#copies.delete(file)
    return false
  }

  /** Puts the files that are not put yet; those of `crawl_fetch` last, as they make the parts visible. */
  async #putAll(files: readonly string[]): Promise<void> {
    const isLast = (file: string) => basename(dirname(file)) === ('crawl_fetch' satisfies SegmentDirectory)
    for (const some of [files.filter((file) => !isLast(file)), files.filter(isLast)])
      await runLimited(some, CONCURRENCY, (file) => this.#put(file))
  }

  async #put(file: string): Promise<void> {
    if (await this.#copies.isCopy(file)) return
    const { size } = await stat(file)
    await this.#store.put(this.#keyOf(file), { file })
    await this.#copies.note(file, { bytes: size })
  }

  async #removeSegment(name: string): Promise<void> {
    const note = join(this.path, `.${name}.removing`)
    await mkdir(this.path, { recursive: true })
    await writeFile(note, '')
    await this.#disk.sync(this.path)
    await this.#store.delete([markerOf(name)])
    const keys: string[] = []
    for await (const { key } of this.#store.list(`${name}/`)) keys.push(key)
    await this.#store.delete(keys)
    this.#listed.delete(name)
    if ((await ifExists(stat(join(this.path, name)))) !== undefined) await this.#local.remove(name)
    await rm(note, { force: true })
  }

  #keyOf(file: string): string {
    return relative(this.path, file).split(sep).join('/')
  }
}

const CONCURRENCY = 8

const MARKERS = '_segments/'
const NO_MERGE = new TextEncoder().encode('{}\n')
const REMOVING = /^\.(\d{14})\.removing$/

/** The object that makes a segment visible. */
function markerOf(name: string): string {
  return `${MARKERS}${name}.json`
}

function segmentOf(marker: string): string {
  return basename(marker, '.json')
}

/** A file that says that the segment is in the store: otherwise it is new. */
function publishedNote(segmentPath: string): string {
  return join(segmentPath, '.published')
}

async function isMarkedPublished(segmentPath: string): Promise<boolean> {
  return (await ifExists(stat(publishedNote(segmentPath)))) !== undefined
}

/** The files by directory; of a part, only when its file of `crawl_fetch` is among them. */
function committedFiles(segmentPath: string, files: readonly string[]): SegmentFiles {
  const byDirectory = Map.groupBy(files.toSorted(), (file) => relative(segmentPath, dirname(file)))
  const found = Object.fromEntries(
    SEGMENT_DIRECTORIES.map((directory) => [directory, byDirectory.get(directory) ?? []]),
  ) as unknown as SegmentFiles
  const committed = committedParts(found)
  const isCommitted = (file: string) => committed.has(basename(file))
  return Object.fromEntries(
    SEGMENT_DIRECTORIES.map((directory) => [
      directory,
      directory === 'crawl_generate' ? found[directory] : found[directory].filter(isCommitted),
    ]),
  ) as unknown as SegmentFiles
}
