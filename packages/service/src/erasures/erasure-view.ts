import type { KeyRing } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { type ContactErased, type ContactErasureRequested, contactSubject } from '@tidings/domain'
import type { LogView } from '@tidings/log-views'

type Caches = Readonly<{ keyRing: Pick<KeyRing, 'withhold'>; commands: Pick<CommandRunner, 'clear'> }>
type Erasure = ContactErasureRequested | ContactErased

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
