// Plain JavaScript, as clean-dist.js: `prepare` may run it with any version of Node.js.
import { cpSync } from 'node:fs'

/** Files of src/ that are not TypeScript: scripts for Redis, and the driver of Spark. */
const SCRIPTS = ['adapters/redis/scripts', 'adapters/spark/spark-driver.py']

for (const path of SCRIPTS)
  cpSync(new URL(`../src/${path}`, import.meta.url), new URL(`../dist/${path}`, import.meta.url), {
    recursive: true,
  })
