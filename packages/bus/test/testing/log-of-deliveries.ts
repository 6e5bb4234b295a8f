import { createEventLog, type EventLog, memoryKeyRing, type Upcaster, upcasters } from '@tidings/codec'
import { asWorkspaceId, type EventDeclarations, eventDeclarations } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'

export const WORKSPACE = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')

/** `contact`: whom the event is about; by default all are about one. */
type Delivery = Readonly<{ type?: string; contact?: string }>

export type LogOfDeliveries = Readonly<{
  log: EventLog
  store: EventStore
  deliver: (n: number, delivery?: Delivery) => Promise<void>
  /** Deliveries `from` to `to`, one after the other. */
  deliverAll: (from: number, to: number, delivery?: (n: number) => Delivery) => Promise<void>
}>

/** What a build knows of events. */
export type Build = Readonly<{ declarations: EventDeclarations; upcasters: readonly Upcaster[] }>

/** The next build: deliveries have another version, and there is a type more. */
export const nextBuild: Build = {
  declarations: {
    ...eventDeclarations,
    MessageDelivered: { ...eventDeclarations.MessageDelivered, version: 2 },
    MessageTeleported: { version: 1 },
  },
  upcasters: [...upcasters, { type: 'MessageDelivered', from: 1, upcast: (data) => data }],
}

/** A log in memory, or over a given store, and a way to write events of two types into it, each to a stream of its own. */
export function logOfDeliveries(
  store: EventStore = memoryEventStore(),
  build: Build = { declarations: eventDeclarations, upcasters },
): LogOfDeliveries {
  const log = createEventLog({ store, ...build, keyRing: memoryKeyRing() })
  const deliver = async (n: number, { type = 'MessageDelivered', contact = 'c' }: Delivery = {}): Promise<void> => {
    const data = { messageId: String(n), contactId: contact, channel: 'email' }
    const at = '2026-11-21T10:00:00.000Z'
    const context = { commandId: `${type}-${n}`, workspaceId: WORKSPACE, actor: 'test', requestId: 'r', at }
    await log.append(`message-${WORKSPACE}-${n}`, 'any', [{ type, data }], context)
  }
  const deliverAll = async (from: number, to: number, delivery: (n: number) => Delivery = () => ({})): Promise<void> => {
    for (let n = from; n <= to; n++) await deliver(n, delivery(n))
  }
  return { log, store, deliver, deliverAll }
}
