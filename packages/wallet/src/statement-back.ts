import type { Recorded, StreamReader } from '@tidings/codec'
import { CARRY_FORWARD_EVERY, type WalletEvent, type WorkspaceId, walletStream } from '@tidings/domain'
import { bookAfter, type StatementEntry } from './statement.ts'

/** An entry in its stream: the event, and which of its lines. A later entry has a later place. */
export type EntryPlace = Readonly<{ revision: number; line: number }>
type PlacedEntry = StatementEntry & Readonly<{ place: EntryPlace }>

type EntriesBefore = Readonly<{ workspaceId: WorkspaceId; before?: EntryPlace | undefined }>

/**
 * The entries of a wallet, newest first, or those before a place. A balance that was carried forward stands for all events before it, so what is read are the
 * entries that are taken and at most some hundred events more, however old the wallet is.
 */
export async function* readStatementBack(log: StreamReader, { workspaceId, before }: EntriesBefore): AsyncGenerator<PlacedEntry> {
  for (let end = before?.revision ?? Number.MAX_SAFE_INTEGER; end >= 0; ) {
    const events = await eventsBack(log, workspaceId, end)
    const first = events[0]
    if (first === undefined) return
    yield* entriesBack(events, before)
    end = first.revision - 1
  }
}

/**
 * The place of an entry at or behind the moment `at` (ms), before which all are older, found in some thirty reads; undefined where there is none. Times go back
 * in a wallet by no more than clocks differ.
 */
export async function placeOfMoment(
  log: StreamReader,
  { workspaceId, at }: Readonly<{ workspaceId: WorkspaceId; at: number }>,
): Promise<EntryPlace | undefined> {
  const one = async (where: Readonly<{ from: number } | { direction: 'backwards' }>): Promise<Recorded<WalletEvent> | undefined> =>
    (await log.readStream<WalletEvent>(workspaceId, walletStream(workspaceId), { ...where, limit: 1, pastLimits: true }))[0]
  const isBehind = (event: Recorded<WalletEvent> | undefined): boolean => event !== undefined && Date.parse(event.meta.at) >= at
  const last = await one({ direction: 'backwards' })
  if (last === undefined || !isBehind(last)) return undefined
  let [before, found] = [-1, last.revision]
  while (found - before > 1) {
    const middle = Math.floor((before + found) / 2)
    if (isBehind(await one({ from: middle }))) found = middle
    else before = middle
  }
  return { revision: found, line: 0 }
}

/** Events up to `end`, oldest first: from the last balance that was carried forward, or from the first event of all. */
async function eventsBack(log: StreamReader, workspaceId: WorkspaceId, end: number): Promise<readonly Recorded<WalletEvent>[]> {
  const found: Recorded<WalletEvent>[] = []
  for (let from = end; ; ) {
    const page = await log.readStream<WalletEvent>(workspaceId, walletStream(workspaceId), {
      ...{ direction: 'backwards', limit: CARRY_FORWARD_EVERY, pastLimits: true },
      ...(from !== Number.MAX_SAFE_INTEGER && { from }),
    })
    for (const event of page) {
      found.unshift(event)
      if (event.type === 'BalanceCarriedForward') return found
    }
    const last = page.at(-1)
    if (last === undefined || last.revision === 0) return found
    from = last.revision - 1
  }
}

/** Lines are made for one event at a time: an event may have thousands. */
function* entriesBack(events: readonly Recorded<WalletEvent>[], before: EntryPlace | undefined): Generator<PlacedEntry> {
  const books = [{ balance: 0, held: 0 }]
  for (const event of events) books.push(bookAfter(books.at(-1) ?? { balance: 0, held: 0 }, event).book)
  for (const [index, event] of [...events.entries()].reverse()) {
    const { entries } = bookAfter(books[index] ?? { balance: 0, held: 0 }, event)
    for (let line = entries.length - 1; line >= 0; line--) {
      const entry = entries[line]
      const isBefore = before === undefined || event.revision < before.revision || line < before.line
      if (entry !== undefined && isBefore) yield { ...entry, place: { revision: event.revision, line } }
    }
  }
}
