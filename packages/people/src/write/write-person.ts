import { emailKey } from '@tidings/addresses'
import { type AppendContext, type StreamReader, uuidv5 } from '@tidings/codec'
import { type ContactId, type ContactState, IMPORT, Refused, type WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { AddressTaken, contactIdFor, type UniqueContacts } from '@tidings/unique-contacts'
import { LineRefused } from '../line/given-consents.ts'
import type { Person } from '../line/person-of.ts'
import { changedDetails, newerConsents, readKnownPerson } from './known-person.ts'
import type { ShownIds } from './shown-contacts.ts'

export type LineOutcome = 'created' | 'updated' | 'unchanged'

/**
 * `runId`: the same when a killed import goes on: all ids of a line derive from it, so that a line that is written again is there once. `isAgain`: the
 * line may have been written before the import was killed.
 */
export type Writing = Readonly<{
  contacts: UniqueContacts
  log: StreamReader
  workspaceId: WorkspaceId
  runId: string
  isAgain: boolean
  now: () => string
}>

/** `position` is null where nothing was written. */
export type WrittenPerson = Readonly<{ outcome: LineOutcome; contactId: ContactId; position: Position | null }>

export type LineOfPerson = Readonly<{ line: number; person: Person; shown: ShownIds }>

const TRIES = 5
export const TWO_PEOPLE = 'its email and its phone belong to two contacts'

/** Creates or changes the person of a line, found by email, else by phone, as of the log (M67). Throws `LineRefused`. */
export async function writePerson(writing: Writing, { line, person, shown }: LineOfPerson): Promise<WrittenPerson> {
  const context = contextOf(writing, line)
  const own = contactIdFor(context.commandId, 0)
  // What others have changed of the contact that the line made stays.
  if (writing.isAgain && (await readKnownPerson(writing.log, { workspaceId: writing.workspaceId, contactId: own })) !== null)
    return { outcome: 'created', contactId: own, position: null }
  let match = shown.email ?? shown.phone
  for (let tried = 0; tried < TRIES; tried++) {
    try {
      const written = match === null ? await create(writing, person, context) : await update(writing, { person, context, contactId: match })
      // The line was written before it was killed: this is the contact that it made.
      if (written !== null) return written.contactId === own ? { ...written, outcome: 'created' } : written
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (!isOvertaken(error)) throw new LineRefused(reasonOf(error))
    }
    const next = await matchOf(writing, person)
    if (tried > 0 && next !== null && next === match) throw new LineRefused(TWO_PEOPLE)
    match = next
  }
  throw new LineRefused('its addresses are being changed by others: import it again')
}

/**
 * The ids sort by the time of the run, as those of its contacts do. The causation id tells lines of one person apart that are written within one
 * millisecond: what one request writes at one moment counts as one change.
 */
const contextOf = ({ workspaceId, runId, now }: Writing, line: number): AppendContext => {
  const derived = uuidv5(`${runId}|${line}`, workspaceId)
  const commandId = `${runId.slice(0, 14)}7${derived.slice(15)}`
  return { commandId, workspaceId, actor: IMPORT, requestId: runId, causationId: commandId, at: now() }
}

const create = async ({ contacts }: Writing, person: Person, context: AppendContext): Promise<WrittenPerson> => {
  const { email, phone, details } = person
  const values = { ...(email !== undefined && { email }), ...(phone !== undefined && { phone }) }
  const created = await contacts.create({ context, ...values, details, consents: newerConsents(person, null), source: IMPORT })
  return { outcome: 'created', contactId: created.contactId, position: created.position }
}

type Updating = Readonly<{ person: Person; context: AppendContext; contactId: ContactId }>

/** Null where the contact is not whom the line means any more. */
const update = async ({ contacts, log, workspaceId }: Writing, { person, context, contactId }: Updating): Promise<WrittenPerson | null> => {
  const known = await readKnownPerson(log, { workspaceId, contactId })
  if (known === null || !isMeant(person, known.state)) return null
  const { email, phone } = person
  const updated = await contacts.update({
    context,
    contactId,
    ...(email !== undefined && { email }),
    ...(phone !== undefined && { phone }),
    details: changedDetails(person, known),
    consents: newerConsents(person, known),
  })
  return { outcome: updated.position === null ? 'unchanged' : 'updated', contactId, position: updated.position }
}

export type Addresses = Readonly<{ email?: string | undefined; phone?: string | undefined }>

/** Whether the line's addresses lead to the contact. */
export function isMeant({ email, phone }: Addresses, { email: ownEmail, phone: ownPhone }: Pick<ContactState, 'email' | 'phone'>): boolean {
  if (email !== undefined && ownEmail !== null && emailKey(email) === emailKey(ownEmail)) return true
  return phone !== undefined && phone === ownPhone
}

const matchOf = async ({ contacts, workspaceId }: Writing, { email, phone }: Person): Promise<ContactId | null> => {
  const byEmail = email === undefined ? null : await contacts.ownerOf(workspaceId, 'email', email)
  return byEmail ?? (phone === undefined ? null : await contacts.ownerOf(workspaceId, 'phone', phone))
}

/** Another contact has an address of the line, or the contact is gone: the log says who is meant. */
const isOvertaken = (error: Refused): boolean => error instanceof AddressTaken || error.code === 'contact_not_found'

/** The reason that a domain's refusal is for the line. */
export function reasonOf({ code }: Refused): string {
  if (code === 'custom_properties_too_large') return 'its custom properties must not exceed 32768 bytes'
  if (code === 'custom_properties_too_many_keys') return 'it must not have more than 200 custom properties'
  return `it is refused (${code})`
}
