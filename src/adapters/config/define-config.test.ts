import { expect, it } from 'vitest'
import { completeConfig } from './complete-config.ts'
import { defineConfig } from './define-config.ts'

it('knows the types of what rules are given', () => {
  const config = defineConfig({
    filters: { custom: [(url) => url.path.startsWith('/a'), { name: 'none', judge: () => undefined }] },
    parse: {
      filters: [
        { name: 'length', filter: ({ reading }) => ({ metadata: { length: String(reading.text.length) } }) },
      ],
    },
    schedule: {
      maxIntervalSeconds: 10,
      initialise: (now) => ({ fetchTime: now, fetchInterval: 10, modifiedTime: 0, retries: 0 }),
      onFetched: ({ modifiedTime }, at) => ({
        fetchTime: at + 1,
        fetchInterval: 10,
        modifiedTime,
        retries: 0,
      }),
      onGone: ({ modifiedTime, retries }, at) => ({
        fetchTime: at + 1,
        fetchInterval: 10,
        modifiedTime,
        retries,
      }),
      onRetry: ({ modifiedTime, retries }, at) => ({
        fetchTime: at,
        fetchInterval: 10,
        modifiedTime,
        retries,
      }),
    },
  })
  expect(completeConfig(config, 'test').schedule).toBe(config.schedule)
})
