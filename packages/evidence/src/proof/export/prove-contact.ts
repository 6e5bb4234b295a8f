import type { StreamReader } from '@tidings/codec'
import { type ContactEvent, type ContactId, contactStream, type WorkspaceId } from '@tidings/domain'
import { comparePositions, type EventStore, type Position } from '@tidings/event-store'
import type { Pool } from 'pg'
import { consentsIn } from '../../../verifiers/verify.mjs'
import { inclusions } from '../prove.ts'
import { storedEvent } from '../stored-event.ts'
import type { ProvenContact } from './document.ts'
import { type Person, personOf } from './person.ts'

/** `size` and `end`: how many events the tree head has, and the position of the last of them. */
export type Proving = Readonly<{
  pool: Pool
  /** The log as it is stored: what is proven. */
  store: Pick<EventStore, 'readStream'>
  /** The same, decrypted: what is shown beside it. */
  log: StreamReader
  workspaceId: WorkspaceId
  size: number
  end: Position
}>

type Opened = Readonly<{ ip: string | null; userAgent: string | null }>
const NOTHING: Opened = { ip: null, userAgent: null }
/** Both are words of the signer, for people: no verifier compares them with the log. */
const ENDED: Opened = { ip: 'ended by retention', userAgent: 'ended by retention' }

/** What is proven of a contact, and who it is; the proof has no name in clear. */
export type ShownContact = Readonly<{ proven: ProvenContact; person: Person }>

/** The events of a contact with their proofs; null where the log has none of it up to the tree head. */
export async function proveContact(proving: Proving, contactId: ContactId): Promise<ShownContact | null> {
  const { pool, store, log, workspaceId, size, end } = proving
  const stream = contactStream(workspaceId, contactId)
  // A row of `es.stream_meta`, which is no part of the tree, hides nothing from a proof.
  const stored = await store.readStream(stream, { pastLimits: true })
  const sealed = stored.filter(({ position }) => comparePositions(position, end) <= 0)
  const last = sealed.at(-1)
  if (last === undefined) return null
  const included = await inclusions(pool, sealed, size)
  const events = sealed.map((event, n) => ({ event: storedEvent(event), ...included[n]! }))
  // Nothing is opened after the request, though the key is destroyed later.
  const isErasing = stored.some(({ type }) => type === 'ContactErasureRequested')
  const all = isErasing ? [] : await log.readStream<ContactEvent>(workspaceId, stream, { pastLimits: true })
  const readable = all.filter(({ revision }) => revision <= last.revision)
  const opened = new Map<number, Opened>()
  for (const { type, data, revision, ended } of readable)
    if (type === 'ContactConsentRecorded')
      opened.set(revision, ended?.includes('client') ? ENDED : { ip: data.ip, userAgent: data.userAgent })
  const consents = consentsIn(events).map((consent) => {
    return { ...consent, ...(opened.get(consent.revision) ?? NOTHING) }
  })
  const erased = isErasing || readable.some((event) => event.erased)
  return { proven: { consents, contactId, erased, events, revisions: last.revision + 1 }, person: personOf(readable) }
}
