import { defineConfig } from 'vitest/config'
import { limits } from './vitest.config.ts'

/** The end-to-end tests alone, where `TIDINGS_E2E` aims (test/e2e/README.md). */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    globalSetup: ['packages/testing/src/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    ...limits,
  },
})
