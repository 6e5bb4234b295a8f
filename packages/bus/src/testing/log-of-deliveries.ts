import { createEventLog, type EventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { eventDeclarations } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'

export const WORKSPACE = '0192b1f0-0000-7000-8000-000000000001'

/** A log in memory and a way to write events of two types into it, each to a stream of its own. */
export function logOfDeliveries(): Readonly<{ log: EventLog; store: EventStore; deliver: (n: number, type?: string) => Promise<void> }> {
  const store = memoryEventStore()
  const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const deliver = async (n: number, type = 'MessageDelivered'): Promise<void> => {
    const data = { messageId: String(n), contactId: 'c', channel: 'email' }
    const at = '2026-11-21T10:00:00.000Z'
    const context = { commandId: `${type}-${n}`, workspaceId: WORKSPACE, actor: 'test', requestId: 'r', at }
    await log.append(`message-${WORKSPACE}-${n}`, 'any', [{ type, data }], context)
  }
  return { log, store, deliver }
}
