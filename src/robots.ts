/** `orbweaver/robots`: robots.txt as RFC 9309 has it, from the parser to the fetch policy. */
export type { Ask } from './robots/ask-robots.ts'
export { MemoryRobotsStore } from './robots/memory-robots-store.ts'
export { MAX_ROBOTS_BYTES, parseRobots } from './robots/parse-robots.ts'
export { RobotsCache } from './robots/robots-cache.ts'
export type { RobotsFile } from './robots/robots-file.ts'
export type { RobotsRecord, RobotsStore } from './robots/robots-record.ts'
export type { RobotsRules } from './robots/robots-rules.ts'
export type { RobotsVerdict, RobotsVerdictKind } from './robots/robots-verdict.ts'
