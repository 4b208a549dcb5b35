/** One step of the cycle in a process of its own: `engine-step.ts <engine> <step> <crawl directory> [seed file or segment]`. */
import { inject } from '../src/flows/cycle/inject.ts'
import { seedSources } from '../src/flows/cycle/read-seeds.ts'
import { openEngine, type Stores } from './open-engine.ts'
import { judge, NOW, rules } from './synthetic-crawl.ts'

const [engine = '', step = '', path = '', input = ''] = process.argv.slice(2)

const STEPS: Readonly<Record<string, (stores: Stores) => Promise<object>>> = {
  async inject({ db }) {
    const sources = seedSources([input], process.stdin, () => {})
    return inject(db, sources, { rules, judge, now: NOW })
  },
  generate({ db }) {
    const { maxIntervalSeconds } = rules.schedule
    const limits = { topN: 1_000_000, maxCount: 100 }
    return db.generate({ now: NOW, maxIntervalSeconds, scoring: rules.scoring, ...limits, judge })
  },
  update: ({ db }) => db.update({ segments: [input], rules, now: NOW + 1 }),
}

const { open, end } = await openEngine(engine)
const start = performance.now()
const stores = await open(path)
const result = await STEPS[step]?.(stores)
await stores.close()
console.log(JSON.stringify({ seconds: (performance.now() - start) / 1000, result }))
await end()
