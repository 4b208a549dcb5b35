import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findSpark } from './spark.ts'

const spark = findSpark()

it.skipIf(!spark.ok)('runs the installed version', () => {
  if (!spark.ok) return
  const submit = join(spark.home, 'bin', 'spark-submit')
  const { stderr } = spawnSync(submit, ['--version'], {
    encoding: 'utf8',
    env: { ...process.env, ...spark.environment },
  })
  expect(stderr).toContain(`version ${spark.version}`)
})
