import { defineConfig } from 'vitest/config'
import { limits } from './vitest.config.ts'

/** The tests that kill real processes: minutes long, one at a time, each with a Postgres of its own. */
export default defineConfig({
  test: {
    include: ['**/*.chaos.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: ['packages/testing/src/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    ...limits,
    testTimeout: 600_000,
  },
})
