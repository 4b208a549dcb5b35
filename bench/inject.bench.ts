/** `orbweaver inject` of a file with 1 and 10 million URLs into a new crawl directory. `INJECT_MILLIONS=1,10` chooses the sizes. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildDist } from './build-dist.ts'
import { chosenSizes } from './chosen-sizes.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { measureIn } from './measure-process.ts'
import { ORBWEAVER } from './orbweaver-process.ts'
import { removeFolder } from './remove-folder.ts'
import { writeSeeds } from './synthetic-crawl.ts'
import { undoAtExit } from './undo-at-exit.ts'

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  console.log('\n| URLs | seconds | CPU-seconds | peak MB |\n| --- | --- | --- | --- |')
  for (const millions of chosenSizes('INJECT_MILLIONS', '1,10')) {
    const { seconds, cpuSeconds, peakMegabytes } = await measureInject(millions * 1e6)
    const cells = [seconds.toFixed(1), cpuSeconds.toFixed(1), peakMegabytes.toFixed(0)]
    console.log(`| ${millions} million | ${cells.join(' | ')} |`)
  }
}

export interface InjectFigures {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakMegabytes: number
}

export async function measureInject(urls: number): Promise<InjectFigures> {
  buildDist()
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-bench-inject-'))
  const undone = undoAtExit(() => removeFolder(folder))
  try {
    await writeSeeds(join(folder, 'seeds.txt'), urls)
    return await measureIn(folder, { command: [...ORBWEAVER, 'inject', 'crawl', 'seeds.txt'] })
  } finally {
    undone()
    removeFolder(folder)
  }
}
