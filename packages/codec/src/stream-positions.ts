import { InvalidAppend } from '@tidings/event-store'
import type { StreamPosition } from './encode.ts'
import type { AppendContext } from './event-log.ts'
import { checkStorable } from './storable.ts'

const isEach = (context: AppendContext | readonly AppendContext[]): context is readonly AppendContext[] => Array.isArray(context)

/**
 * The place of the n-th event of an append. The events of one command are numbered from 0, whatever else is in the append: so they
 * have the same ids when the command is repeated alone. Throws `InvalidAppend` when contexts and events do not match.
 */
export function positionsOf(
  stream: string,
  count: number,
  context: AppendContext | readonly AppendContext[],
): (n: number) => StreamPosition {
  if (!isEach(context)) {
    checkStorable(context)
    return (n) => ({ stream, n, context })
  }
  if (context.length !== count) throw new InvalidAppend('an append of several commands needs one context for each event')
  const numbered = new Map<string, number>()
  const positions = context.map((each): StreamPosition => {
    checkStorable(each)
    const n = numbered.get(each.commandId) ?? 0
    numbered.set(each.commandId, n + 1)
    return { stream, n, context: each }
  })
  return (n) => positions[n]!
}
