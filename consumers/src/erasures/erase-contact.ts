import { pause } from '@tidings/async'
import { databaseNow } from '@tidings/async/clock'
import { uuidv7 } from '@tidings/codec'
import { contact, contactStream, contactSubject } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { endRuns } from './end-runs.ts'
import type { Cleared, Erasing } from './erasing.ts'
import { type ErasureRef, finishErasure } from './erasure-table.ts'
import { leaveLists } from './leave-lists.ts'
import { type Person, readPerson } from './person.ts'
import { refuseLeft } from './refuse-left.ts'
import { refuseParked } from './refuse-parked.ts'
import { releaseClaims } from './release-claims.ts'

/** Claiming an address may take 5 s, and every other command 2 s. */
const IN_FLIGHT_MS = 6_000

/**
 * Finishes an erasure that the contact's stream has asked for. Every step is right when it is repeated, or done by two processes at once, so
 * that one that dies between any two of them leaves nothing but work. From the request on nothing is written to the contact's stream, and the
 * caches of keys are passed by, in every process that has acknowledged it. The key goes last: until then a repetition can read what to look for.
 * A request that had begun before may still write for a while: so clearing waits that long, and what is sealed even later can be read by none
 * once the key is destroyed. A projection that has parked the stream of the contact delays it, before the key goes and again before it counts as whole; a table that a
 * rebuild or a reader uses, only then.
 */
export async function eraseContact(erasing: Erasing, of: ErasureRef, signal: AbortSignal): Promise<readonly Cleared[]> {
  const { log, pool, commands, keyRing, settle, inFlightMs = IN_FLIGHT_MS, now = databaseNow } = erasing
  const person = await readPerson(log, of)
  if (person === null) throw new Error(`no erasure of contact ${of.contactId} was asked for`)
  keyRing.withhold(of.workspaceId, contactSubject(of))
  commands.clear()
  const claims = await releaseClaims(erasing, person)
  await settle(person.requested)
  await refuseParked(pool, of)
  await pause(Math.max(0, Math.min(inFlightMs, Date.parse(person.requestedAt) + inFlightMs - now())), signal)
  signal.throwIfAborted()
  await settle(await headOf(erasing, of, 'in flight'))
  const cleared = [
    { place: 'claims of addresses', cleared: claims },
    { place: 'lists', cleared: await leaveLists(erasing, person) },
    { place: 'flows', cleared: await endRuns(erasing, person) },
    ...(await clearLocations(erasing, person)),
  ]
  await keyRing.shred(of.workspaceId, contactSubject(of))
  commands.clear()
  await settle(await complete(erasing, of))
  await refuseParked(pool, of)
  await refuseLeft(erasing, person)
  await finishErasure(pool, of)
  return cleared
}

const clearLocations = async ({ locations }: Erasing, person: Person): Promise<readonly Cleared[]> => {
  const cleared: Cleared[] = []
  for (const { name, clear } of locations) cleared.push({ place: name, cleared: await clear(person) })
  return cleared
}

/** The position of what it appended; of the end of the log where that was there already. */
const complete = async (erasing: Erasing, of: ErasureRef): Promise<Position> => {
  const { commands, now = databaseNow } = erasing
  const { workspaceId, contactId } = of
  const commandId = uuidv7()
  const { position } = await commands.execute({
    decider: contact,
    stream: contactStream(workspaceId, contactId),
    command: { type: 'CompleteErasure', data: { contactId } },
    context: { commandId, workspaceId, actor: 'pipeline', requestId: commandId, at: new Date(now()).toISOString() },
  })
  return position ?? (await headOf(erasing, of, 'completed'))
}

/** The end of the log when the step first asked, so that a read side that is always behind by more than it is waited for delays no erasure for ever (M44). */
const headOf = async ({ heads, log }: Erasing, { workspaceId, contactId }: ErasureRef, step: string): Promise<Position> =>
  (await heads?.of(`${workspaceId}/${contactId}/${step}`)) ?? (await log.head())
