import { type Decider, type RefusalCode, Refused } from '@tidings/domain'
import { expect } from 'vitest'

type When<E> = Readonly<{
  /** The command is accepted with exactly these events, and given again it changes nothing. */
  thenEvents: (...events: readonly E[]) => void
  /** The command is accepted with these events, and a repetition counts: it gives `andAgain`. */
  thenEachTime: (first: readonly E[], andAgain: readonly E[]) => void
  /** The command is accepted with exactly these events, and given again it is refused. */
  thenOnce: (...events: readonly E[]) => void
  thenNothing: () => void
  thenRefused: (code: RefusalCode) => void
}>

export type DeciderSpec<C, E> = Readonly<{ given: (...past: readonly E[]) => Readonly<{ when: (command: C) => When<E> }> }>

/** Examples of one aggregate's rules in its own words: given what happened, when somebody asks, then this happens. */
export function specFor<C, E, S>({ decide, evolve, initialState }: Decider<C, E, S>): DeciderSpec<C, E> {
  return {
    given: (...past) => ({
      when: (command) => {
        const state = past.reduce(evolve, initialState)
        const thenEachTime = (first: readonly E[], again: readonly E[]): void => {
          const events = decide(command, state)
          expect(events).toEqual(first)
          expect(decide(command, events.reduce(evolve, state))).toEqual(again)
        }
        return {
          thenEvents: (...events) => thenEachTime(events, []),
          thenEachTime,
          thenOnce: (...events) => {
            expect(decide(command, state)).toEqual(events)
            expect(codeOf(() => decide(command, events.reduce(evolve, state)))).toBeDefined()
          },
          thenNothing: () => thenEachTime([], []),
          thenRefused: (code) => expect(codeOf(() => decide(command, state))).toBe(code),
        }
      },
    }),
  }
}

const codeOf = (work: () => unknown): RefusalCode | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof Refused) return error.code
    throw error
  }
}
