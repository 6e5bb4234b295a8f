import { type Decider, Refused } from '@tidings/domain'
import type { Execution } from './execution.ts'

type AskedCommand<C, E, S> = Pick<Execution<C, E, S>, 'command' | 'expects'>

/** A decider's result, with a refusal as a value. */
type Decision<E> = Readonly<{ events: readonly E[]; refusal: Refused | null }>

/** Whether the state is not the one that the command expects. */
export function isMeanwhile(refusal: Refused | null): boolean {
  return refusal?.code === 'changed_meanwhile'
}

/** Asks what the command expects of the state first (`Execution.expects`), and then the decider. */
export function decided<C, E, S>({ decide }: Decider<C, E, S>, { command, expects }: AskedCommand<C, E, S>, state: S): Decision<E> {
  if (expects?.(state) === false) return { events: [], refusal: new Refused('changed_meanwhile') }
  try {
    return { events: decide(command, state), refusal: null }
  } catch (error) {
    if (error instanceof Refused) return { events: [], refusal: error }
    throw error
  }
}
