/** `orbweaver/robots`: robots.txt as RFC 9309 has it, from the parser to the fetch policy. */
export type { Ask } from './domain/robots/ask-robots.ts'
export { MAX_ROBOTS_BYTES, parseRobots } from './domain/robots/parse-robots.ts'
export { RobotsCache } from './domain/robots/robots-cache.ts'
export type { RobotsFile } from './domain/robots/robots-file.ts'
export type { RobotsRecord, RobotsStore } from './domain/robots/robots-record.ts'
export { MemoryRobotsStore } from './domain/robots/robots-record.ts'
export type { RobotsRules } from './domain/robots/robots-rules.ts'
export type { RobotsVerdict, RobotsVerdictKind } from './domain/robots/robots-verdict.ts'
