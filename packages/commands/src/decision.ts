import { type Decider, Refused } from '@tidings/domain'

/** A decider's result, with a refusal as a value. */
type Decision<E> = Readonly<{ events: readonly E[]; refusal: Refused | null }>

export function decided<C, E, S>({ decide }: Decider<C, E, S>, command: C, state: S): Decision<E> {
  try {
    return { events: decide(command, state), refusal: null }
  } catch (error) {
    if (error instanceof Refused) return { events: [], refusal: error }
    throw error
  }
}
