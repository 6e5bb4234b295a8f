import { createEventLog, type EventLog, openKeyRing, upcasters } from '@tidings/codec'
import { eventDeclarations } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import type { Pool } from 'pg'

const MASTER_KEY = '00'.repeat(32)

/** The log as the service has it: what is personal is sealed. */
export async function openLog(pool: Pool, store: EventStore): Promise<EventLog> {
  const keyRing = await openKeyRing({ pool, masterKey: MASTER_KEY, previousMasterKeys: [] })
  return createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
}
