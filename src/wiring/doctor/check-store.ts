import {
  type ObjectStore,
  ObjectStoreRefused,
  ObjectStoreUnavailable,
} from '../../domain/object-store/object-store.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

export interface StoreCheck {
  readonly finding: Finding
  /** Whether objects can be listed. */
  readonly isReadable: boolean
}

/** Checks that the objects of a store can be listed, and that new ones can be put. */
export async function checkStore(store: ObjectStore): Promise<StoreCheck> {
  try {
    for await (const _ of store.list('')) break
  } catch (error) {
    const { message } = expected(error)
    return {
      finding: problem('object store', message, 'The segments were not checked.'),
      isReadable: false,
    }
  }
  try {
    await store.checkPut('check')
  } catch (error) {
    const { message } = expected(error)
    const finding = warning('object store', message, 'Until then, the crawl can be read, but not continued.')
    return { finding, isReadable: true }
  }
  return { finding: ok('object store', `${store.url} can be read and written`), isReadable: true }
}

function expected(error: unknown): Error {
  if (error instanceof ObjectStoreRefused || error instanceof ObjectStoreUnavailable) return error
  throw error
}
