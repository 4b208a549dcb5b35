import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findSubmit } from './find-submit.ts'
import { openSparkDirectory } from './open-spark-directory.ts'
import { startFailure, stepFailure } from './spark-error.ts'
import { SparkSession } from './spark-session.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-submit-'))
  for (const place of ['home/bin', 'path']) {
    mkdirSync(join(folder, place), { recursive: true })
    writeFileSync(join(folder, place, 'spark-submit'), '')
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('findSubmit', () => {
  it('uses the named one, that of SPARK_HOME, then the PATH', () => {
    const env = { SPARK_HOME: join(folder, 'home'), PATH: `/nothing:${join(folder, 'path')}` }
    expect(findSubmit(join(folder, 'path/spark-submit'), env)).toBe(join(folder, 'path/spark-submit'))
    expect(findSubmit(undefined, env)).toBe(join(folder, 'home/bin/spark-submit'))
    expect(findSubmit(undefined, { PATH: env.PATH })).toBe(join(folder, 'path/spark-submit'))
  })

  it('says what to install when there is none', () => {
    expect(() => findSubmit(undefined, { PATH: '/nothing' })).toThrow(/pip install pyspark/)
    expect(() => findSubmit('/nothing/spark-submit', {})).toThrow(/engine\.spark\.submit/)
  })
})

describe('start', () => {
  /** A spark-submit that prints a text and ends, or connects as the driver does. */
  function submit(name: string, script: string): string {
    const file = join(folder, name)
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
    return file
  }

  it.each([
    ['no-java', 'echo "JAVA_HOME is not set" >&2; exit 1', /Java 17 or newer, and .* found none/],
    [
      'old-java',
      'echo "java.lang.UnsupportedClassVersionError: x has class file version 61" >&2; exit 1',
      /too old/,
    ],
    [
      'away',
      'echo "All masters are unresponsive! Giving up." >&2; exit 1',
      /master spark:\/\/h:1 does not respond/,
    ],
    ['broken', 'echo "some other problem"; exit 3', /ended before Spark was ready: some other problem/],
  ])('explains %s', async (name, script, message) => {
    const started = SparkSession.start({ submit: submit(name, script), master: 'spark://h:1' })
    await expect(started).rejects.toThrow(message)
    await expect(started).rejects.toMatchObject({ code: 'SPARK_UNAVAILABLE' })
  })

  it('stops waiting for executors after startSeconds', async () => {
    const waiting = submit('waiting', 'echo "Initial job has not accepted any resources"; exec sleep 100')
    await expect(SparkSession.start({ submit: waiting, startSeconds: 0.5 })).rejects.toThrow(
      /not ready after 0.5 seconds .* no executor is free/,
    )
  })

  it('refuses a Spark that is too old', async () => {
    const old = submit(
      'old',
      `exec python3 -c "import json, socket, sys, time
channel = socket.socket(socket.AF_UNIX); channel.connect(sys.argv[-1])
channel.send((json.dumps({'id': 0, 'ok': {'version': '3.4.1'}}) + '\\n').encode()); time.sleep(100)" "$@"`,
    )
    await expect(SparkSession.start({ submit: old })).rejects.toThrow(/this is Spark 3.4.1/)
  })
})

it('leaves no directory behind if a crawl cannot be created', async () => {
  const dir = join(folder, 'new/crawl')
  const opening = openSparkDirectory(dir, {
    ...{
      command: 'test',
      spark: { submit: '/nothing/spark-submit' },
      settings: { environment: {}, flags: {} },
    },
  })
  await expect(opening).rejects.toMatchObject({ code: 'SPARK_UNAVAILABLE' })
  expect(existsSync(join(folder, 'new'))).toBe(false)
})

it('explains a wrong master', () => {
  expect(startFailure('spark-submit', 'spork', 'Could not parse Master URL: spork').message).toMatch(
    /is not a Spark master/,
  )
})

it.each([
  [
    'Subprocess exited with status 127. Error: /bin/bash: line 1: node24: command not found',
    /cannot start Node.js with "node24"/,
  ],
  [
    'x Error: orbweaver rule failed: no score for http://a\nat org.apache',
    /a rule of the crawl failed: no score for http:\/\/a\. /,
  ],
  ["Error: Cannot find module '/opt/orbweaver/dist/x.js'", /does not have the files of Orbweaver/],
  ['java.io.IOException: No space left on device', /no room left/],
  [
    'org.apache.spark.X: something else\n\tat a.b.c',
    /changed nothing: org\.apache\.spark\.X: something else/,
  ],
])('explains a failed step: %s', (message, expected) => {
  const error = stepFailure({ type: 'X', message }, 'node24')
  expect(error.message).toMatch(expected)
  expect(error.code).toBe('SPARK_FAILED')
})

it('names the part of a segment that cannot be read', () => {
  const message =
    'org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///c/segments/20270115080000/crawl_fetch/part-000001-w0.parquet.'
  const error = stepFailure({ type: 'X', message }, 'node')
  expect(error.code).toBe('PART_UNREADABLE')
  expect(error.message).toMatch(/^\/c\/segments\/\S+ cannot be read: .*orbweaver doctor \/c --repair/)
})
