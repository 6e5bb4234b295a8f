import type { KeyRing } from '@tidings/codec'
import type { DetailsEnded } from '@tidings/domain'
import type { LogView } from '@tidings/log-views'

/** Drops what this process has cached of details that another process has ended. */
export function retentionView(keyRing: Pick<KeyRing, 'noteEnded'>): LogView {
  return {
    types: ['DetailsEnded'] satisfies DetailsEnded['type'][],
    apply: ({ data, meta: { workspaceId } }) => keyRing.noteEnded({ workspaceId, ...(data as DetailsEnded['data']) }),
  }
}
