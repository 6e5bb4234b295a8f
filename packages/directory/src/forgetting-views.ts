import type { KeyRing } from '@tidings/codec'
import { type ContactErased, type ContactErasureRequested, contactSubject, type DetailsEnded, type WorkspaceId } from '@tidings/domain'
import type { LogView } from '@tidings/log-views'

type Erasure = ContactErasureRequested | ContactErased

/** `commands`: the command runner, which keeps what it has read. */
type Caches = Readonly<{
  keyRing: Readonly<{ withhold: (workspaceId: WorkspaceId, subject: string) => void }>
  commands: Readonly<{ clear: () => void }>
}>

/**
 * Drops what this process has cached of a person before it acknowledges the request, and what it cached in between before it acknowledges
 * that the key is destroyed.
 */
export function erasureView({ keyRing, commands }: Caches): LogView {
  return {
    types: ['ContactErasureRequested', 'ContactErased'] satisfies Erasure['type'][],
    apply: ({ data, meta: { workspaceId } }) => {
      keyRing.withhold(workspaceId, contactSubject(data as Erasure['data']))
      commands.clear()
    },
  }
}

/** Drops what this process has cached of details that another process has ended. */
export function endedDetailsView(keyRing: Pick<KeyRing, 'noteEnded'>): LogView {
  return {
    types: ['DetailsEnded'] satisfies DetailsEnded['type'][],
    apply: ({ data, meta: { workspaceId } }) => keyRing.noteEnded({ workspaceId, ...(data as DetailsEnded['data']) }),
  }
}
