import { type ContactEvent, contactStream, contactSubject } from '@tidings/domain'
import type { Erasing } from './erasing.ts'
import { type ErasureRef, finishErasure } from './erasure-table.ts'
import { readPerson } from './person.ts'
import { refuseLeft } from './refuse-left.ts'
import { refuseParked } from './refuse-parked.ts'

/**
 * Finishes an erasure that has been whole before, as after a restore, or was delayed by a table at its end: the log has its end, and the stored key is destroyed. False where there is
 * something to do, as where the restore has brought the key back.
 */
export async function finishErased({ log, pool, keyRing, settle, locations }: Erasing, of: ErasureRef): Promise<boolean> {
  const { workspaceId, contactId } = of
  const [last] = await log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId), {
    direction: 'backwards',
    limit: 1,
  })
  if (last?.type !== 'ContactErased') return false
  const [keys] = await keyRing.load([{ workspaceId, subject: contactSubject(of) }])
  if (keys?.length !== 0) return false
  await settle(last.position)
  await refuseParked(pool, of)
  const person = await readPerson(log, of)
  if (person !== null) await refuseLeft({ locations }, person)
  await finishErasure(pool, of)
  return true
}
