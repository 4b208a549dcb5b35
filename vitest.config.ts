import { defineConfig } from 'vitest/config'

/** Commands are tested beside their files, but over the demo web from the first to the last step: that is not for every change. */
const COMMANDS = 'src/cli/*-command.test.ts'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,testing,scripts}/**/*.test.ts'],
          exclude: [COMMANDS],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts', COMMANDS],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
