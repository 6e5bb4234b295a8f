import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleTime } from './examples.ts'
import { NullableTimestamp, oneOf, Timestamp } from './kinds.ts'

// What the dashboard shows of the proof of the log.

const LogHead = described(Type.Object({ size: Type.Integer(), root: Type.String(), at: Timestamp, anchoredAt: NullableTimestamp }), {
  name: 'LogHead',
  about: 'A signed head of the log.',
  fields: {
    size: 'How many events the log had, of all workspaces.',
    root: 'The hash over all of them.',
    at: 'When the last of them was recorded.',
    anchoredAt: 'When the head, or a later one, was kept outside; null where it was not.',
  },
})

export const WorkspaceProofs = described(
  Type.Object({ fingerprint: Type.String(), heads: Type.Array(LogHead), whole: oneOf('possible', 'nothing', 'too_large') }),
  {
    name: 'WorkspaceProofs',
    about: 'What the proofs of a workspace rest on.',
    fields: {
      fingerprint: 'The fingerprint of the key that signs heads and proofs.',
      heads: 'The newest heads, the newest first; at most ten.',
      whole:
        'Whether one proof can be made of all people: `nothing` where none ever had a consent, `too_large` where the command line makes it.',
    },
    example: {
      fingerprint: 'f3f15cc5a4d5e1f03d0fb5b1b2c9f1e5e6dbb0a2a0a7f1a1d3c6a9b7e4d2c1f0',
      heads: [{ size: 512, root: 'a1b2', at: exampleTime, anchoredAt: null }],
      whole: 'possible',
    },
  },
)
export type WorkspaceProofs = Static<typeof WorkspaceProofs>
