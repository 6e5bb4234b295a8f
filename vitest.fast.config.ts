import { defineConfig } from 'vitest/config'
import { pure } from './vitest.config.ts'

/** The pure tests without those that draw thousands of cases: no server is started. Their properties draw other cases each time. */
export default defineConfig({
  test: { ...pure, name: 'fast', setupFiles: [], exclude: [...pure.exclude, '**/*.property.test.ts'] },
})
