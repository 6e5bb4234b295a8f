import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { memoryFolder } from './packages/testing/src/memory-folder.ts'

// This is for this process, its workers and all that they start.
const memory = memoryFolder()
if (memory !== null) process.env.TMPDIR ??= memory

/** They kill, starve or start whole servers, set the environment of their process, or listen to its rejections: a process each. */
const ALONE = [
  'test/{chaos,stack,deploy}/*.{int,e2e}.test.ts',
  '**/kafka/**/*.int.test.ts',
  '**/embedded/*.int.test.ts',
  '**/{client-defects,kafka-secure,killed,backup-embedded,ready-after-kill}*.{int,e2e}.test.ts',
  '**/*faults*.{int,e2e}.test.ts',
]

/** They take longest, some of them by waiting. A clone that has never run them knows no durations: one of them would start last, and run on alone. */
const LONG =
  /\/test\/(chaos|stack)\/|\.property\.test\.ts$|\/kafka\/|\/(tutorial|erased|screens|rebuild-equals-live|analyst|backup-embedded|(smtp|ses|mailgun)-contract|relay-answers|hostile-peer|several-processes|takes-effect-everywhere|log-went-back|stopped-while-waiting)\.[^/]*$/
const ORDER = ['long alone', 'long pure', 'alone', 'long shared', 'shared', 'pure']

/** The longest first, and the many short ones last, which fill what is left. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => ORDER.indexOf(`${LONG.test(moduleId) ? 'long ' : ''}${project.name}`)
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}

/** A property of a shared or pure test draws the same cases in each run. */
const SAME_CASES = ['test/same-cases.ts']

const OUTSIDE = '**/*.{int,e2e}.test.ts'

/** A failing test alone uses them up; the defaults (5 s, 10 s and 1 s) are short on a busy machine. `until` of @tidings/testing waits as long as a poll. */
export const limits = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 180_000 } },
} as const

const each = {
  pool: 'forks',
  // The files take 4 100 s with three, 2 200 of them CPU: they also wait for leases, silences and restarts. Two cores were busy for four fifths of the
  // time, and are nearly always with four. With five, 17 to 22 processes waited, and limits of servers ran out. Each has ports of its own (free-port.ts).
  maxWorkers: 4,
  ...limits,
} as const

/** Tests that hold nothing open share their process with the next file: 130 files in 47 s of CPU instead of 99. */
export const pure = {
  ...each,
  name: 'pure',
  setupFiles: SAME_CASES,
  include: ['**/*.test.ts'],
  exclude: ['**/node_modules/**', OUTSIDE, '**/*.chaos.test.ts'],
  isolate: false,
}

export default defineConfig({
  test: {
    maxWorkers: each.maxWorkers,
    globalSetup: ['packages/testing/src/global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...each, name: 'alone', include: ALONE } },
      // A process of its own costs each of these 268 files 1.2 s of CPU, nearly all of it for modules that the file before has loaded already.
      {
        test: {
          ...each,
          name: 'shared',
          setupFiles: SAME_CASES,
          include: [OUTSIDE],
          exclude: ['**/node_modules/**', ...ALONE],
          isolate: false,
        },
      },
      { test: pure },
    ],
  },
})
