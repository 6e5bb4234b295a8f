import type { Expected } from './commit-check.ts'
import { copyOf, type Log, type Proposed } from './log.ts'
import { append, type Written } from './writer.ts'

type Request = Readonly<{ stream: string; expected: Expected; events: readonly Proposed[] }>

/** What a leader wrote while it had no majority: no reader sees it, and an append in it has no answer. */
export type Tail = Readonly<{
  /** Writes it behind the tail, or refuses it as of there. `settle` runs when the tail is committed. */
  hold: (request: Request, settle: () => void) => Written
  /** Events that no other node has. */
  size: () => number
  /** The others have it all now. */
  commit: () => void
}>

export function startTail(log: Log): Tail {
  const own = copyOf(log)
  const begun = own.all.length
  const held: (() => void)[] = []
  return {
    hold: ({ stream, expected, events }, settle) => {
      const written = append(own, stream, expected, events)
      if (written.kind === 'written') held.push(settle)
      return written
    },
    size: () => own.all.length - begun,
    commit: () => {
      for (const settle of held.splice(0)) settle()
    },
  }
}
