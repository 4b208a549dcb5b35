import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['{src,testing,scripts}/**/*.test.ts'] } },
      { test: { name: 'whole', include: ['test/**/*.test.ts'], testTimeout: 120_000 } },
    ],
  },
})
