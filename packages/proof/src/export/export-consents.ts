import type { EventLog } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import type { EventStore } from '@tidings/event-store'
import type { Pool } from 'pg'
import { headOfCopy } from '../anchor/head-of-copy.ts'
import { growTree } from '../grow-tree.ts'
import { anchoredHeadsBelow, firstHeadsOf, type HeadOfAll, type SignedHead, signHead } from '../heads.ts'
import type { LogKey } from '../log-key.ts'
import { consistencyPath } from '../prove.ts'
import type { EarlierHead, ProvenContact, Statements } from './document.ts'
import { contactsWithConsent } from './find-contacts.ts'
import { proveContact } from './prove-contact.ts'
import { writeFolder } from './write-folder.ts'

export type ConsentExport = Readonly<{
  pool: Pool
  store: EventStore
  log: Pick<EventLog, 'readStream'>
  key: LogKey
  workspace: Readonly<{ id: string; slug: string }>
  /** One contact, or null: all of the workspace that ever had a consent. */
  contactId: string | null
  directory: string
  /** A copy of the anchor as the auditor has it, however old; null for none. */
  anchorFile: string | null
  /** Default 100 000. */
  maxEvents?: number
  now: () => Date
  /** What is under way, and how many of it are done. */
  onProgress: (what: 'leaves' | 'events' | 'contacts', done: number) => void
}>

/** More would not fit in one text of Node, nor in the memory of who verifies it. */
const MAX_EVENTS = 100_000

export type Exported = Readonly<{ contacts: number; consents: number; events: number; size: number; root: string; fingerprint: string }>

type Signed = Readonly<{ size: number; copied: SignedHead | null }>

/**
 * For each event the first kept head that has it: an auditor who has that head from elsewhere knows how old the event is at least. And the newest
 * that is anchored, and that of the auditor's copy: without them, a rewritten log could leave out what contradicts it.
 */
const earlierHeads = async (
  { pool, key }: ConsentExport,
  contacts: readonly ProvenContact[],
  { size, copied }: Signed,
): Promise<EarlierHead[]> => {
  const indices = contacts.flatMap(({ events }) => events.map(({ index }) => index))
  const heads = [...(await firstHeadsOf(pool, { indices, size }, key)), ...(await anchoredHeadsBelow(pool, size, key))]
  if (copied !== null && copied.statement.size < size) heads.push(copied)
  const bySize = new Map(heads.map((head) => [head.statement.size, head]))
  const earlier: EarlierHead[] = []
  for (const head of [...bySize.values()].toSorted((one, other) => one.statement.size - other.statement.size))
    earlier.push({ head, path: await consistencyPath(pool, head.statement.size, size) })
  return earlier
}

const tooManyEvents = (contactId: string | null, most: number): OperationFailed =>
  new OperationFailed(
    contactId === null
      ? `The contacts with consents have more than ${most} events, too many for one proof: export them one by one with --id.`
      : `Contact ${contactId} has more than ${most} events, too many for a proof: show what it consented to with \`tidings consent show\`.`,
  )

const proveAll = async (request: ConsentExport, { head, end }: HeadOfAll): Promise<readonly ProvenContact[]> => {
  const { pool, store, log, workspace, contactId, maxEvents = MAX_EVENTS, onProgress } = request
  const { size } = head.statement
  let events = 0
  const onEvents = (count: number): void => {
    events += count
    onProgress('events', events)
  }
  const ids = contactId === null ? await contactsWithConsent({ store, workspaceId: workspace.id, end, onEvents }) : [contactId]
  const contacts: ProvenContact[] = []
  let room = maxEvents
  for (const id of ids) {
    const contact = await proveContact({ pool, store, log, workspaceId: workspace.id, size, end }, id)
    if (contact !== null) contacts.push(contact)
    room -= contact?.revisions ?? 0
    if (room < 0) throw tooManyEvents(contactId, maxEvents)
    onProgress('contacts', contacts.length)
  }
  return contacts
}

/**
 * Writes a folder that proves the consents of a workspace, or of one contact, without this installation. Brings the tree to the end of the
 * log and signs a head of it first. Throws one sentence where there is nothing to export, where the folder is not empty, and where the log does
 * not continue the auditor's copy of the anchor.
 */
export async function exportConsents(request: ConsentExport): Promise<Exported> {
  const { pool, store, key, workspace, contactId, anchorFile, now, onProgress } = request
  await growTree({ pool, store, onProgress: (size) => onProgress('leaves', size) })
  const signed = await signHead(pool, key, now)
  const copied = signed === null || anchorFile === null ? null : await headOfCopy(request, anchorFile, signed.head.statement.size)
  const contacts = signed === null ? [] : await proveAll(request, signed)
  if (signed === null || contacts.length === 0)
    throw new OperationFailed(
      contactId === null
        ? `No contact of workspace ${workspace.slug} ever had a consent.`
        : `Workspace ${workspace.slug} has no contact ${contactId}.`,
    )
  const { head } = signed
  const { size, root } = head.statement
  const statements: Statements = {
    contacts,
    earlierHeads: await earlierHeads(request, contacts, { size, copied }),
    exportedAt: now().toISOString(),
    head,
    workspace,
  }
  await writeFolder(request.directory, statements, key)
  const count = (of: (contact: ProvenContact) => readonly unknown[]): number =>
    contacts.reduce((sum, contact) => sum + of(contact).length, 0)
  const counts = { contacts: contacts.length, consents: count(({ consents }) => consents), events: count(({ events }) => events) }
  return { ...counts, size, root, fingerprint: key.fingerprint }
}
