/**
 * Robots.txt as RFC 9309 has it, from the parser to the fetch policy.
 * @module orbweaver/robots
 */

export { type Clock, steadyClock, wallClock } from './base/clock.ts'
export type { AiUseFiles } from './domain/robots/ai-use-files.ts'
export type { SendRequest } from './domain/robots/fetch-robots.ts'
export { MAX_ROBOTS_BYTES, type ParseRobotsOptions, parseRobots } from './domain/robots/parse-robots.ts'
export { RobotsCache, type RobotsCacheOptions, type RobotsKnowledge } from './domain/robots/robots-cache.ts'
export type { RobotsFile } from './domain/robots/robots-file.ts'
export type { RobotsLine } from './domain/robots/robots-line.ts'
export type {
  AiUseFilesRecord,
  FindingBase,
  RobotsCopy,
  RobotsFinding,
  RobotsOutage,
  RobotsRecord,
  RobotsStore,
} from './domain/robots/robots-record.ts'
export { MemoryRobotsStore } from './domain/robots/robots-record.ts'
export type { RobotsRules } from './domain/robots/robots-rules.ts'
export type { HostFailure, RobotsVerdict, RobotsVerdictKind } from './domain/robots/robots-verdict.ts'
export type { UsagePreference, UsagePreferences } from './domain/robots/usage-preferences.ts'
