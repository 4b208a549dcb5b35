import { closeSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { takeCrawlLock } from '../../src/adapters/crawl-directory/crawl-lock.ts'

// Takes the lock of a folder again and again. As its owner it holds a file that must not exist. Half the time it leaves the lock of a dead process behind instead of releasing it.
const [folder = '', attempts = '0', deadPid = '0'] = process.argv.slice(2)
const lock = `${folder}/lock`
let taken = 0
for (let i = 0; i < Number(attempts); i++) {
  let held: ReturnType<typeof takeCrawlLock>
  try {
    held = takeCrawlLock(lock, { command: `attempt ${i}`, now: Date.now() })
  } catch {
    continue
  }
  taken++
  closeSync(openSync(`${folder}/owned`, 'wx'))
  // Long enough that others try to take the lock meanwhile.
  for (let step = 0; step < 50; step++) readdirSync(folder)
  rmSync(`${folder}/owned`)
  if (i % 2 === 0) held.release()
  else {
    const dead = {
      pid: Number(deadPid),
      host: hostname(),
      since: new Date(0).toISOString(),
      command: `${process.pid}/${i}`,
    }
    writeFileSync(lock, JSON.stringify(dead))
  }
}
process.stdout.write(String(taken))
