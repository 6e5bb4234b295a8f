import type { Recorded } from '@tidings/codec'
import type { Consumer } from './port.ts'

/** Whether a batch can have an effect. Where the look at it fails, it can: `handle` fails in turn, and its failures are taken care of. */
export async function isConcerned({ concerns }: Pick<Consumer, 'concerns'>, events: readonly Recorded[]): Promise<boolean> {
  if (events.length === 0 || concerns === undefined) return events.length > 0
  try {
    return await concerns(events)
  } catch {
    return true
  }
}
