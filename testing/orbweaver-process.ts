import { main } from '../src/cli/main.ts'

/** The command from its sources, for tests that need a process of its own: `node testing/orbweaver-process.ts run spider.ts`. */
await main(process.argv.slice(2))
