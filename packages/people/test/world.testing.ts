import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import {
  asWorkspaceId,
  type ConsentStatement,
  type ContactEvent,
  type ContactPatch,
  type ContactState,
  contact,
  eventDeclarations,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { createUniqueContacts } from '@tidings/unique-contacts'
import type { Pool } from 'pg'
import { type Importing, importPeople, openPeopleFile } from '../src/index.ts'

type WorldPlace = Readonly<{ pool: Pool; folder: string }>

/** What an import reads of the read side, filled by hand: it is behind, or it is not. */
export const PROFILES = 'create table read.profiles (workspace_id uuid, id uuid, email text, phone text)'

/** A log of its own, and imports into it. The read side shows nothing. */
export function world({ pool, folder }: WorldPlace) {
  const keyRing = memoryKeyRing()
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing })
  const workspaceId = asWorkspaceId(randomUUID())
  const runs = async (text: string, work: Partial<Importing> = {}) => {
    const file = join(folder, workspaceId)
    await writeFile(file, text)
    // Each run is a process of its own.
    const runner = createCommandRunner({ log })
    const importing: Importing = {
      ...{ log, pool, runner, workspaceId, list: null, now: () => new Date().toISOString() },
      contacts: createUniqueContacts({ runner, claimDigest: keyRing.claimDigest }),
      ...{ reading: { country: 'IL', kinds: new Map() }, shown: async () => undefined, onProgress: () => undefined },
      ...work,
    }
    return (await importPeople(importing, await openPeopleFile({ file, map: new Map() }))).counts
  }
  const people = async () => {
    const { events } = await log.readAll('start', 10_000, {})
    const streams = [...new Set(events.map(({ stream }) => stream).filter((stream) => stream.startsWith('contact-')))]
    const stateOf = async (stream: string) =>
      (await log.readStream<ContactEvent>(workspaceId, stream)).reduce<ContactState>(contact.evolve, contact.initialState)
    return (await Promise.all(streams.map(stateOf))).filter(({ exists }) => exists)
  }
  const named = async () => (await people()).map(({ email, phone, details: { firstName } }) => ({ email, phone, firstName }))
  const show = async () => {
    for (const { contactId, email, phone } of await people())
      await pool.query('insert into read.profiles values ($1, $2, $3, $4)', [workspaceId, contactId, email, phone])
  }
  /** Changes everybody, as requests do it. */
  const change = async (changes: Readonly<{ details?: ContactPatch; consents?: readonly ConsentStatement[] }>) => {
    const contacts = createUniqueContacts({ runner: createCommandRunner({ log }), claimDigest: keyRing.claimDigest })
    const context = { commandId: randomUUID(), workspaceId, actor: 'key:1', requestId: 'r', at: new Date().toISOString() }
    for (const { contactId } of await people()) if (contactId) await contacts.update({ context, contactId, ...changes })
  }
  return { runs, people, named, show, change }
}
