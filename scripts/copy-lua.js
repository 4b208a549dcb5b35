// Plain JavaScript, as clean-dist.js: `prepare` may run it with any version of Node.js.
import { cpSync } from 'node:fs'

const SCRIPTS = 'adapters/redis/scripts'
cpSync(new URL(`../src/${SCRIPTS}`, import.meta.url), new URL(`../dist/${SCRIPTS}`, import.meta.url), {
  recursive: true,
})
