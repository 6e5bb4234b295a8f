import { defineConfig } from 'vitest/config'

/** The end-to-end tests alone, where `TIDINGS_E2E` aims (test/e2e/README.md): a service of several processes takes longer to start. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    globalSetup: ['packages/testing/src/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
})
