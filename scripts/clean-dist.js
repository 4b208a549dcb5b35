// Plain JavaScript: `prepare` may run it before anything else works.
import { rmSync } from 'node:fs'

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
