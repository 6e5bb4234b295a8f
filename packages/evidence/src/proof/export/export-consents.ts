import type { StreamReader } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import { asContactId, type ContactId, type WorkspaceEvent, type WorkspaceId, workspaceStream } from '@tidings/domain'
import { comparePositions, type EventStore, type Position } from '@tidings/event-store'
import { streamEvents } from '@tidings/log-views'
import type { Pool } from 'pg'
import { headsOfCopy } from '../anchor/anchored-lines.ts'
import { growTree } from '../grow-tree.ts'
import { anchoredHeadsBelow, assertContinues, type HeadOfAll, headsAround, type KeptHead, type SignedHead, signHead } from '../heads.ts'
import type { LogKey } from '../log-key.ts'
import { consistencyPaths } from '../prove.ts'
import type { EarlierHead, ProvenContact, Statements } from './document.ts'
import { proveContact, type ShownContact } from './prove-contact.ts'
import { type ProofFile, proofFiles, writeFolder } from './write-folder.ts'

export type ConsentExport = Readonly<{
  pool: Pool
  store: EventStore
  log: StreamReader
  key: LogKey
  workspace: Readonly<{ id: WorkspaceId; slug: string }>
  /** One contact, or null: all of the workspace that ever had a consent. */
  contactId: ContactId | null
  /** The moment whose state the report shows beside that of the end; null for that of the end alone. */
  at?: string | null
  /** A copy of the anchor as the auditor has it, however old; null for none. */
  anchorFile: string | null
  /** Default 100 000. */
  maxEvents?: number
  /** The longest log that is read for the proof of all contacts; by default any. */
  maxLog?: number
  now: () => Date
  /** What is under way, and how many of it are done. */
  onProgress: (what: 'leaves' | 'events' | 'contacts', done: number) => void
}>

/** More would not fit in one text of Node, nor in the verifier's memory. */
const MAX_EVENTS = 100_000

export type Exported = Readonly<{ contacts: number; consents: number; events: number; size: number; root: string; fingerprint: string }>

type Signed = Readonly<{ size: number; copied: readonly SignedHead[] }>

/** Whether it does not have an event that was recorded before it, which a head that is dated by a process's clock may lack. */
const isDatedLate = ({ head: { statement }, isExact }: KeptHead, contacts: readonly ProvenContact[]): boolean =>
  !isExact && contacts.some(({ events }) => events.some(({ event, index }) => index >= statement.size && event.created < statement.at))

/**
 * For each event the kept heads before and behind it: an auditor who has them from elsewhere knows how old the event is. And the newest that are
 * anchored, and all of the auditor's copy: without them, a rewritten log could leave out what contradicts it (M60).
 */
const earlierHeads = async (
  { pool, key }: ConsentExport,
  contacts: readonly ProvenContact[],
  { size, copied }: Signed,
): Promise<readonly EarlierHead[]> => {
  const indices = contacts.flatMap(({ events }) => events.map(({ index }) => index))
  const kept = [...(await headsAround(pool, { indices, size }, key)), ...(await anchoredHeadsBelow(pool, size, key))]
  const dated = kept.filter((each) => !isDatedLate(each, contacts)).map(({ head }) => head)
  const heads = [...dated, ...copied.filter(({ statement }) => statement.size < size)]
  const bySize = new Map(heads.map((head) => [head.statement.size, head]))
  const earlier = [...bySize.values()].toSorted((one, other) => one.statement.size - other.statement.size)
  const sizes = earlier.map(({ statement }) => statement.size)
  const paths = await consistencyPaths(pool, sizes, size)
  return earlier.map((head, n) => ({ head, path: paths[n]! }))
}

/** Why there is no proof: what it would be of has no consent, or more than one proof holds. */
export class ProofRefused extends OperationFailed {
  readonly reason: 'nothing' | 'too_large'
  constructor(reason: ProofRefused['reason'], sentence: string) {
    super(sentence)
    this.reason = reason
  }
}

const tooManyEvents = (contactId: ContactId | null, most: number): ProofRefused =>
  new ProofRefused(
    'too_large',
    contactId === null
      ? `The contacts with consents have more than ${most} events, too many for one proof: export them one by one with --id.`
      : `Contact ${contactId} has more than ${most} events, too many for a proof: show what it consented to with \`tidings consent show\`.`,
  )

const proveAll = async (request: ConsentExport, { head, end }: HeadOfAll): Promise<readonly ShownContact[]> => {
  const { pool, store, log, workspace, contactId, maxEvents = MAX_EVENTS, onProgress } = request
  const { size } = head.statement
  let events = 0
  const onEvents = (count: number): void => {
    events += count
    onProgress('events', events)
  }
  const ids =
    contactId === null
      ? await contactsWithConsent({ store, workspaceId: workspace.id, end, most: Math.min(maxEvents, MAX_CONTACTS), onEvents })
      : [contactId]
  const contacts: ShownContact[] = []
  let room = maxEvents
  for (const id of ids) {
    const contact = await proveContact({ pool, store, log, workspaceId: workspace.id, size, end }, id)
    if (contact !== null) contacts.push(contact)
    room -= contact?.proven.revisions ?? 0
    if (room < 0) throw tooManyEvents(contactId, maxEvents)
    onProgress('contacts', contacts.length)
  }
  return contacts
}

/** Writes what `proveConsents` makes into a new or empty folder; throws one sentence where it is not empty. */
export async function exportConsents({ directory, ...request }: ConsentExport & Readonly<{ directory: string }>): Promise<Exported> {
  const { files, ...exported } = await proveConsents(request)
  await writeFolder(directory, files)
  return exported
}

/**
 * Makes the files that prove the consents of a workspace, or of one contact, without this installation. Brings the tree to the end of the
 * log and signs a head of it first. Throws one sentence where there is nothing to export, and where the log does
 * not continue the auditor's copy of the anchor.
 */
export async function proveConsents(request: ConsentExport): Promise<Exported & Readonly<{ files: readonly ProofFile[] }>> {
  const { pool, store, key, workspace, contactId, anchorFile, now, onProgress } = request
  // This comes before the tree is read: a head that is anchored meanwhile is of a tree that this one continues.
  const copied = anchorFile === null ? [] : await headsOfCopy(key, anchorFile)
  // The tree may be far behind the log: how long that is, is known once it is read.
  const onLeaves = (size: number): void => {
    refuseLongLog(request, size)
    onProgress('leaves', size)
  }
  refuseLongLog(request, await growTree({ pool, store, onProgress: onLeaves }))
  const signed = await signHead(pool, key, now)
  for (const head of copied) await assertContinues(pool, head, signed?.head.statement.size ?? 0)
  const shown = signed === null ? [] : await proveAll(request, signed)
  const contacts = shown.map(({ proven }) => proven)
  if (signed === null || contacts.length === 0)
    throw new ProofRefused(
      'nothing',
      contactId === null
        ? `No contact of workspace ${workspace.slug} ever had a consent.`
        : `Workspace ${workspace.slug} has no contact ${contactId}.`,
    )
  const { head } = signed
  const { size, root } = head.statement
  const statements: Statements = {
    contacts,
    earlierHeads: await earlierHeads(request, contacts, { size, copied }),
    exportedAt: [now().toISOString(), head.statement.at].toSorted().at(-1)!,
    head,
    workspace,
  }
  const people = new Map(shown.map(({ proven, person }) => [proven.contactId, person]))
  const opened = { people, keyNames: await keyNamesOf(request.log, workspace.id), at: request.at ?? null }
  const files = await proofFiles({ statements, opened, key })
  const count = (of: (contact: ProvenContact) => readonly unknown[]): number =>
    contacts.reduce((sum, contact) => sum + of(contact).length, 0)
  const counts = { contacts: contacts.length, consents: count(({ consents }) => consents), events: count(({ events }) => events) }
  return { files, ...counts, size, root, fingerprint: key.fingerprint }
}

const refuseLongLog = ({ contactId, maxLog = Number.POSITIVE_INFINITY }: ConsentExport, size: number): void => {
  if (contactId === null && size > maxLog)
    throw new ProofRefused('too_large', `The log has more than ${maxLog} events, too many to find all contacts with consents.`)
}

/** More would not fit in the verifier's memory. */
const MAX_CONTACTS = 20_000
const PAGE = 2_000

type ContactSearch = Readonly<{
  store: Pick<EventStore, 'readAll'>
  workspaceId: WorkspaceId
  end: Position
  most: number
  onEvents: (count: number) => void
}>

/** Every contact of the workspace that ever had a consent, erased ones too: from the log itself, up to `end`. */
async function contactsWithConsent({ store, workspaceId, end, most, onEvents }: ContactSearch): Promise<readonly ContactId[]> {
  const prefix = `contact-${workspaceId}-`
  const found = new Set<ContactId>()
  let [after, done]: [Position | 'start', boolean] = ['start', false]
  while (!done) {
    const { events, to, caughtUp } = await store.readAll(after, PAGE)
    for (const { stream, type, position } of events) {
      if (type === 'ContactConsentRecorded' && stream.startsWith(prefix) && comparePositions(position, end) <= 0)
        found.add(asContactId(stream.slice(prefix.length)))
    }
    if (found.size > most)
      throw new ProofRefused(
        'too_large',
        `More than ${most} contacts have consents, too many for one proof: export them one by one with --id.`,
      )
    onEvents(events.length)
    done = caughtUp || comparePositions(to, end) >= 0
    after = to
  }
  return [...found].toSorted()
}

/** The names of the API keys of a workspace by their ids, also of those that are gone. */
async function keyNamesOf(log: StreamReader, workspaceId: WorkspaceId): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for await (const { type, data } of streamEvents<WorkspaceEvent>(log, { workspaceId, stream: workspaceStream(workspaceId) }))
    if (type === 'ApiKeyCreated') names.set(data.keyId, data.name)
  return names
}
