import { ItemFeeds } from '../src/adapters/feeds/item-feeds.ts'
import { openObjectStore } from '../src/adapters/object-store/open-object-store.ts'
import { wallClock } from '../src/base/clock.ts'
import { endlessItemLog, textTargets } from './endless-item-log.ts'

/** Exports a log that grows, and tells how far it is before each step, so that a kill comes in the middle of one. */
const [directory = '', last = '0', step = '0', textLength = '0', ...targets] = process.argv.slice(2)
let end = 0
const feeds = await ItemFeeds.open(
  endlessItemLog(() => end, Number(textLength)),
  targets.length > 0 ? targets : textTargets(directory),
  {
    directory,
    clock: wallClock,
    output: async () => {},
    writeTable: async () => 0,
    openStore: openObjectStore,
  },
)
while (end < Number(last)) {
  end += Number(step)
  process.stdout.write(`${end}\n`)
  await feeds.follow()
}
