import { pause } from '@tidings/async'
import { databaseNow } from '@tidings/async/clock'
import { type KeyRing, uuidv5, uuidv7 } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { OperationFailed } from '@tidings/config'
import {
  bucketOf,
  claim,
  claimStream,
  contact,
  contactStream,
  contactSubject,
  hasFacts,
  type ListId,
  members,
  membersStream,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { Pool } from 'pg'
import { endRuns } from './end-runs.ts'
import type { Cleared, Erasing, PersonalLocation, Went } from './erasing.ts'
import { type ErasureRef, finishErasure, noteCleared } from './erasure-table.ts'
import { type Person, readPerson } from './person.ts'

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
  // What follows may wait, and fail, for hours: what went is noted as soon as it went.
  const claims = await noted(pool, of, { place: 'claims of addresses', clear: (went) => releaseClaims(erasing, person, went) })
  await settle(person.requested)
  await refuseParked(pool, of)
  await pause(Math.max(0, Math.min(inFlightMs, Date.parse(person.requestedAt) + inFlightMs - now())), signal)
  signal.throwIfAborted()
  await settle(await headOf(erasing, of, 'in flight'))
  const cleared = [
    claims,
    await noted(pool, of, { place: 'lists', clear: (went) => leaveLists(erasing, person, went) }),
    await noted(pool, of, { place: 'flows', clear: (went) => endRuns(erasing, person, went) }),
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

type Clearing = Readonly<{ place: string; clear: (went: Went) => Promise<void> }>

/** Notes that the place was looked at, and each thing that went from it when it went: what fails at the third has noted two. */
const noted = async (pool: Pool, of: ErasureRef, { place, clear }: Clearing): Promise<Cleared> => {
  let cleared = 0
  const went: Went = async (count) => {
    cleared += count
    await noteCleared(pool, of, { place, cleared: count })
  }
  await went(0)
  await clear(went)
  return { place, cleared }
}

const clearLocations = async ({ locations, pool }: Erasing, person: Person): Promise<readonly Cleared[]> => {
  const cleared: Cleared[] = []
  for (const { name, clear } of locations)
    cleared.push(await noted(pool, person, { place: name, clear: async (went) => went(await clear(person)) }))
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

/** The lists are few, and the primary key names the list before the contact. */
const LISTS = `select list_id as id from read.list_members
  where workspace_id = $1 and contact_id = $2 and list_id = any (array(select id from read.lists where workspace_id = $1))`

/** Takes the contact off every list that the read models show it on. `went`: from those that had it, since the read models may show what a try before took away. */
async function leaveLists(
  { pool, commands, now = databaseNow }: Readonly<{ pool: Pool; commands: CommandRunner; now?: () => number }>,
  { workspaceId, contactId }: Person,
  went: Went,
): Promise<void> {
  const { rows } = await pool.query<{ id: ListId }>(LISTS, [workspaceId, contactId])
  for (const { id: listId } of rows) {
    const commandId = uuidv7()
    const { events } = await commands.execute({
      decider: members,
      stream: membersStream(workspaceId, listId, bucketOf(contactId)),
      command: { type: 'RemoveMembers', data: { listId, contactIds: [contactId], reason: 'erasure' } },
      context: { commandId, workspaceId, actor: 'pipeline', requestId: commandId, at: new Date(now()).toISOString() },
    })
    await went(events.length)
  }
}

/**
 * Frees the addresses, and keeps with them what only the person's stream says of them: it names no person (M45). The request alone has given them
 * up: a claim that is left here is taken over by who wants the address. `went`: none of those that a try before released.
 */
async function releaseClaims(
  {
    commands,
    keyRing,
    now = databaseNow,
  }: Readonly<{ commands: CommandRunner; keyRing: Pick<KeyRing, 'claimDigest' | 'load' | 'shred' | 'withhold'>; now?: () => number }>,
  { workspaceId, claimed }: Person,
  went: Went,
): Promise<void> {
  for (const { kind, value, claimId, facts } of claimed) {
    const stream = claimStream(workspaceId, kind, await keyRing.claimDigest(workspaceId, kind, value))
    const run = (command: Parameters<typeof claim.decide>[0], step: string) =>
      commands.execute({
        decider: claim,
        stream,
        command,
        context: {
          commandId: uuidv5(`${claimId}|${step}`, workspaceId),
          workspaceId,
          actor: 'pipeline',
          requestId: claimId,
          at: new Date(now()).toISOString(),
        },
      })
    if (hasFacts(facts)) await run({ type: 'KeepAddressFacts', data: facts }, 'facts')
    await went((await run({ type: 'ReleaseClaim', data: { claimId } }, 'erased')).events.length)
  }
}

/** Clears what was locked before, and throws one sentence where it is still locked: a table that a session reads may still show the person. */
export async function refuseLeft({ locations }: Readonly<{ locations: readonly PersonalLocation[] }>, person: Person): Promise<void> {
  const left: string[] = []
  for (const location of locations) {
    if (location.left === undefined || (await location.left(person)).length === 0) continue
    await location.clear(person)
    left.push(...(await location.left(person)))
  }
  if (left.length === 0) return
  throw new OperationFailed(
    `The key of contact ${person.contactId} is destroyed, and ${left.join(', ')} may still show the person, because a rebuild or a reader uses it: the service drops it when that has ended, and finishes the erasure then. Erase the contact again to see whether it is whole.`,
  )
}

/** Throws one sentence where the erasure cannot be whole: a projection that skips the contact's stream, the erasure in it included, goes on showing the person. What it looks at is as old as the last position that was waited for. */
export async function refuseParked(pool: Pool, { workspaceId, contactId }: ErasureRef): Promise<void> {
  const stream = contactStream(workspaceId, contactId)
  const { rows } = await pool.query<{ projection: string }>(
    'select projection from ops.parked_stream where stream = $1 order by projection',
    [stream],
  )
  if (rows.length === 0) return
  const names = rows.map(({ projection }) => projection).join(', ')
  throw new OperationFailed(
    `${stream} is parked in projection ${names}, which may still show the person: run \`tidings projection rebuild\` for it, then erase the contact again.`,
  )
}
