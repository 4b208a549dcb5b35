import type { Clock } from '../../base/clock.ts'
import { LruMap } from '../../base/lru-map.ts'
import { AiTxt } from './ai-txt.ts'
import type { AiUseStatement } from './ai-use.ts'
import { fetchAiUseFiles } from './fetch-ai-use-files.ts'
import type { SendRequest } from './fetch-robots.ts'
import type { AiUseFilesRecord, RobotsStore } from './robots-record.ts'
import { TdmRep } from './tdm-rep.ts'

/** The statements of one origin in both files, parsed. */
interface ReadyFiles {
  readonly freshUntil: number
  readonly files: readonly (AiTxt | TdmRep)[]
}

/** Estimated memory limit for parsed files; others are parsed again when needed. */
const MAX_READY_BYTES = 32 * 1024 * 1024
const READY_BYTES = 300
/** Of a parsed file, per octet. */
const BYTES_PER_OCTET = 20

/**
 * The files in which sites state AI-use preferences besides robots.txt: `/ai.txt` and `/.well-known/tdmrep.json`. They are fetched when the first
 * page of an origin is requested and again after a day, through the `send` function of the caller. A failure counts as no file.
 */
export class AiUseFiles {
  readonly #clock: Clock
  readonly #agents: string | readonly string[]
  readonly #store: RobotsStore
  readonly #ready = new LruMap<string, ReadyFiles>(MAX_READY_BYTES)
  readonly #loading = new Map<string, Promise<void>>()

  /** @param store has the record of an origin's robots.txt, with which the files are stored */
  constructor(clock: Clock, agents: string | readonly string[], store: RobotsStore) {
    this.#clock = clock
    this.#agents = agents
    this.#store = store
  }

  /** The statements about an absolute URL; `undefined` if the files of its origin must be loaded first. */
  statements(url: string): readonly AiUseStatement[] | undefined {
    const ready = this.#ready.get(new URL(url).origin)
    if (ready === undefined || this.#clock.now() >= ready.freshUntil) return undefined
    return ready.files.flatMap((file) => file.statements(url))
  }

  /**
   * Loads the files of the origin of a URL; concurrent calls share the requests. Files whose request was not sent or was aborted stay unknown.
   * @param isAllowed whether robots.txt allows a URL
   */
  load(url: string, isAllowed: (url: string) => boolean, send: SendRequest): Promise<void> {
    const { origin } = new URL(url)
    const running = this.#loading.get(origin)
    if (running !== undefined) return running
    const loading = this.#load(origin, isAllowed, send).finally(() => this.#loading.delete(origin))
    this.#loading.set(origin, loading)
    return loading
  }

  async #load(origin: string, isAllowed: (url: string) => boolean, send: SendRequest): Promise<void> {
    const stored = (await this.#store.get(origin))?.aiUse
    if (stored !== undefined && this.#clock.now() < stored.freshUntil) return this.#keep(origin, stored)
    const fetched = await fetchAiUseFiles(origin, isAllowed, send)
    if (fetched === undefined) return
    const { lifetimeMs, ...files } = fetched
    const record = { ...files, freshUntil: this.#clock.now() + lifetimeMs }
    this.#keep(origin, record)
    const robots = await this.#store.get(origin)
    if (robots !== undefined) await this.#store.put({ ...robots, aiUse: record })
  }

  #keep(origin: string, { aiTxt, tdmRep, freshUntil }: AiUseFilesRecord): void {
    const files = [
      ...(aiTxt === undefined ? [] : [new AiTxt(aiTxt, this.#agents)]),
      ...(tdmRep === undefined ? [] : [new TdmRep(tdmRep)]),
    ]
    const octets = (aiTxt?.length ?? 0) + (tdmRep?.length ?? 0)
    this.#ready.set(origin, { freshUntil, files }, READY_BYTES + octets * BYTES_PER_OCTET)
  }
}
