import type { Recorded } from '@tidings/codec'
import { asWorkspaceId, type DomainEvent } from '@tidings/domain'

export const WORKSPACE = asWorkspaceId('0192f0c1-0000-7000-8000-000000000001')

/** The moment of the n-th event of a test, counted from 1. */
export function moment(n: number): string {
  return new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString()
}

/** Events of one stream as a reader gets them, a second apart. `erased` says so of all of them. */
export function recorded(events: readonly DomainEvent[], erased = false): readonly Recorded[] {
  return events.map((event, n) => ({
    ...event,
    id: `0192f0c1-0000-7000-8000-00000000010${n}`,
    stream: 'stream-1',
    revision: n,
    position: { commit: BigInt(n + 1), prepare: 0n },
    created: moment(n + 1),
    meta: { workspaceId: WORKSPACE, actor: 'key:1', requestId: 'request-1', schemaVersion: 1, at: moment(n + 1) },
    erased,
  }))
}
