import type { FuzzTarget } from './fuzz-target.ts'
import { PAGE_TARGETS } from './page-targets.ts'
import { WIRE_TARGETS } from './wire-targets.ts'

export const FUZZ_TARGETS: readonly FuzzTarget[] = [...WIRE_TARGETS, ...PAGE_TARGETS]
