import { randomUUID } from 'node:crypto'
import { loadConfig } from '@tidings/config'
import type { DomainEvent, WorkspaceId } from '@tidings/domain'
import { createLog } from '@tidings/observability/log'
import { openStores } from '@tidings/service/stores'
import type { Environment } from './service-process.ts'

/** An event, and when it happened. */
export type Dated = Readonly<{ at: string; event: DomainEvent }>

/** What one stream gets, in one append. */
export type Written = Readonly<{ stream: string; workspaceId: WorkspaceId; events: readonly Dated[] }>

/** An append has 6 s from the call on, its place in the queue included: what is asked at once is far less work than that on any machine. */
const APPENDS_AT_ONCE = 20

/** Appends to the log of an installation, behind the rules of the product, one append after the other where `inOrder`. */
export async function appendToLog(env: Environment, all: readonly Written[], { inOrder = false } = {}): Promise<void> {
  const stores = await openStores({ config: loadConfig(env), log: await createLog({ level: 'error', to: 'stderr' }), mode: 'command' })
  const append = ({ stream, workspaceId, events }: Written) =>
    stores.log.append(
      stream,
      'any',
      events.map(({ event }) => event),
      events.map(({ at }) => ({ commandId: randomUUID(), workspaceId, actor: 'pipeline', requestId: 'test', at })),
    )
  try {
    const together = inOrder ? 1 : APPENDS_AT_ONCE
    for (let n = 0; n < all.length; n += together) await Promise.all(all.slice(n, n + together).map(append))
  } finally {
    await stores.close()
  }
}
