import type { Recorded } from '@tidings/codec'
import type { WorkspaceId } from '@tidings/domain'

const AT = '2026-11-22T09:00:00.000Z'

/** An event as a consumer gets it. */
export function recorded<E extends Readonly<{ type: string; data: object }>>(event: E, workspaceId: WorkspaceId): Recorded<E> {
  return {
    ...event,
    id: '0192f0c1-0000-7000-8000-000000000100',
    stream: 'stream-1',
    revision: 0,
    position: { commit: 1n, prepare: 0n },
    created: AT,
    meta: { workspaceId, actor: 'test', requestId: 'request-1', schemaVersion: 1, at: AT },
    erased: false,
  }
}
