import type { EventLog, Recorded } from '@tidings/codec'
import { asContactId, contactStream, type WorkspaceId } from '@tidings/domain'
import { appendsOf } from './appends.ts'
import type { PayloadReader } from './payload-reader.ts'

/** One event of an append. */
export type StreamRevision = Readonly<{ workspaceId: WorkspaceId; stream: string; revision: number }>

/** Mostly an append is short and ends within the first of these on either side of each of its events; always within the last. */
const REACHES = [4, 32, 250] as const

type Stretch = Readonly<{ from: number; limit: number }>

/** The append among these events of a stream; `isWhole`: it ends on both sides within them. */
const appendIn = (events: readonly Recorded[], revision: number, { from, limit }: Stretch) => {
  const append = appendsOf(events).find((one) => one.some((event) => event.revision === revision)) ?? []
  const mayBeginBefore = from > 0 && append[0] === events[0]
  const mayGoOn = events.length === limit && append.at(-1) === events.at(-1)
  return { append, isWhole: !mayBeginBefore && !mayGoOn }
}

/**
 * The append of an event. For that of a contact, what the caches lack of its history, and whether its erasure was asked for, come with the same
 * read. `isCurrent`: whether the caches may still learn from it.
 */
export async function readAppend(reader: PayloadReader, at: StreamRevision, isCurrent: () => boolean): Promise<readonly Recorded[]> {
  return (await readWithHistory(reader, at, isCurrent)) ?? (await readAround(reader.log, at))
}

const readAround = async (log: EventLog, { workspaceId, stream, revision }: StreamRevision): Promise<readonly Recorded[]> => {
  let found: readonly Recorded[] = []
  for (const reach of REACHES) {
    const from = Math.max(0, revision - reach)
    const stretch = { from, limit: revision - from + 1 + reach }
    const { append, isWhole } = appendIn(await log.readStream(workspaceId, stream, stretch), revision, stretch)
    found = append
    if (isWhole) break
  }
  return found
}

/** Null where the stream is no contact's, a later state of the contact is cached, or the append may be longer. */
const readWithHistory = async (
  { log, contacts, erased }: PayloadReader,
  { workspaceId, stream, revision }: StreamRevision,
  isCurrent: () => boolean,
): Promise<readonly Recorded[] | null> => {
  if (!stream.startsWith(contactStream(workspaceId, asContactId('')))) return null
  const known = contacts.cachedUpTo(stream)
  if (known > revision) return null
  const from = Math.max(0, Math.min(known + 1, revision - REACHES[0]))
  const stretch = { from, limit: revision - from + 1 + REACHES[0] }
  const events = await log.readStream(workspaceId, stream, stretch)
  const { append, isWhole } = appendIn(events, revision, stretch)
  if (!isWhole) return null
  if (isCurrent()) {
    contacts.learn(append, events)
    if (events.length < stretch.limit) erased.learn(events)
  }
  return append
}
