import { randomUUID } from 'node:crypto'
import { createEventLog, type EventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import type { Step } from './histories.ts'

/** A log in memory, encrypted like the real one. */
export function memoryLog(): EventLog {
  return createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
}

/** A log that is divided into ranges of streams though it is short: it would be one range, for one part. */
export function divided(log: EventLog): EventLog {
  const { byStream } = log
  if (byStream === undefined) throw new Error('this store can')
  return { ...log, byStream: { ...byStream, ranges: (category) => byStream.ranges(category, 64) } }
}

/** Appends the steps one after the other. */
export async function write(log: EventLog, steps: readonly Step[]): Promise<void> {
  for (const { stream, event, workspaceId, at } of steps) {
    await log.append(stream, 'any', [event], { commandId: randomUUID(), workspaceId, actor: 'form:footer', requestId: 'test', at })
  }
}
