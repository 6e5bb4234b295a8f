import type { EventLog } from '@tidings/codec'
import type { Pool } from 'pg'
import type { AnyProjection } from '../../src/projection.ts'
import type { StartPart } from '../../src/rebuild/parts/part-thread.ts'
import { buildPart } from '../../src/rebuild/parts/serve-part.ts'

type LocalParts = Readonly<{ projection: AnyProjection; log: EventLog; pool: Pool; aheadBytes: number; onPage?: () => void }>

/** Builds parts at once in this thread, as `partInThread` does in others: for tests of what they make together. Where `onPage` throws, a part ends. */
export function partsHere({ aheadBytes, onPage, ...parts }: LocalParts): StartPart {
  return (order, onReached) => {
    const small = { ...order, part: { ...order.part, aheadBytes } }
    const built = buildPart({ ...parts, onPage: (reached) => [onPage?.(), onReached(reached)] }, small)
    const ended = built.then(
      () => undefined,
      () => undefined,
    )
    return { built, end: () => ended }
  }
}
