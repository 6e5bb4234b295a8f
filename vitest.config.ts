import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { memoryFolder } from './packages/testing/src/memory-folder.ts'

// For this process, its workers and all that they start.
const memory = memoryFolder()
if (memory !== null) process.env.TMPDIR ??= memory

const OUTSIDE = '**/*.{int,e2e}.test.ts'
/** They set the environment of their process, listen to its rejections, or mind what else it holds open: each gets its own. */
const ALONE = ['test/{chaos,stack,deploy}/*.{int,e2e}.test.ts', '**/kafka/*.int.test.ts', '**/client-defects*.int.test.ts']

/** A clone that has never run them knows no durations: one of them would start last, and run on alone. */
const LONG =
  /\.property\.test\.ts$|\/tutorial\.test\.ts$|\/(erased|rebuild-equals-live|start-embedded|sign-in|log-export|analyst|backup-embedded|faults)[.-][^/]*$/
const ORDER = ['alone', 'long pure', 'long shared', 'shared', 'pure']

/** The longest first, and the many short ones last, which fill what is left. Those of a project follow each other, to share a process. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => ORDER.indexOf(`${LONG.test(moduleId) ? 'long ' : ''}${project.name}`)
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}

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
      { test: { ...each, name: 'alone', include: ALONE } },
      // A fork of its own costs a file 1.2 s of CPU, of which 1.1 s evaluate the modules of the product.
      { test: { ...each, name: 'shared', include: [OUTSIDE], exclude: ['**/node_modules/**', ...ALONE], isolate: false } },
      // Apart, because they wait for nothing: 130 files in 47 s of CPU instead of 99.
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
