import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.chaos.test.ts'],
    globalSetup: ['packages/testing/src/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Only a failing test uses it up; the default of a second is short on a busy machine.
    expect: { poll: { timeout: 10_000 } },
  },
})
