import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { memoryFolder } from './packages/testing/src/memory-folder.ts'

// For this process, its workers and all that they start.
const memory = memoryFolder()
if (memory !== null) process.env.TMPDIR ??= memory

/** They take longest. A clone that has never run them knows no durations: one of them would start last, and run on alone. */
const LONG =
  /\/test\/(chaos|stack)\/|\.property\.test\.ts$|\/faults-[^/]*$|\/kafka\/[^/]*\.int\.test\.ts$|\/(tutorial|erased|rebuild-equals-live|log-export|analyst|backup-embedded)\.[^/]*$/

/** The longest first, and the many short ones last, which fill what is left. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => (LONG.test(moduleId) ? 0 : project.name === 'pure' ? 2 : 1)
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}

const OUTSIDE = '**/*.{int,e2e}.test.ts'

const each = {
  pool: 'forks',
  maxWorkers: 2,
  // Only a failing test uses them up; the defaults (5 s, 10 s and 1 s) are short on a busy machine.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 15_000 } },
} as const

export default defineConfig({
  test: {
    maxWorkers: each.maxWorkers,
    globalSetup: ['packages/testing/src/global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...each, name: 'outside', include: [OUTSIDE] } },
      // What holds nothing open shares its process with the next file: 130 files in 47 s of CPU instead of 99.
      {
        test: {
          ...each,
          name: 'pure',
          include: ['**/*.test.ts'],
          exclude: ['**/node_modules/**', OUTSIDE, '**/*.chaos.test.ts'],
          isolate: false,
        },
      },
    ],
  },
})
