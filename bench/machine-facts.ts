import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

export interface MachineFacts {
  readonly date: string
  readonly node: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGigabytes: number
  /** Of the last minute: above 0.5 before a run, other processes are active, and rates by the clock are unreliable. */
  readonly loadBefore: number
}

/** When and on what a benchmark runs, for those who read its figures later. */
export function machineFacts(): MachineFacts {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(1)),
  }
}

export function machineText(facts: MachineFacts): string {
  const { date, node, cpu, cores, memoryGigabytes, loadBefore } = facts
  return `${date}, ${cores} cores (${cpu}), ${memoryGigabytes} GiB, Node ${node}, load before ${loadBefore}`
}
