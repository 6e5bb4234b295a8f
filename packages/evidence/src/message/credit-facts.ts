import type { Recorded } from '@tidings/codec'
import { type MessageId, type WalletEvent, type WorkspaceId, walletStream } from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import { streamEvents } from '@tidings/log-views'
import { type Fact, factOf } from '../fact.ts'
import type { Sources } from '../sources.ts'
import type { KnownMessage } from './known-message.ts'

/** A wallet may have millions of events: so many are read behind the acceptance. A hold is ended within a minute of what ended its message. */
const MOST_EVENTS = 50_000

/** The credits that were held for the message, and what became of them. */
export async function creditFacts(sources: Sources, { workspaceId, messageId, accepted, events }: KnownMessage): Promise<readonly Fact[]> {
  if (!('credits' in accepted.data)) return []
  // A passcode is paid before it is accepted: its request says how long before that can be.
  const first = await firstAfter(
    sources,
    workspaceId,
    accepted.type === 'PasscodeAccepted' ? Date.parse(accepted.meta.at) : accepted.position,
  )
  const last = events.at(-1) ?? accepted
  const facts: Fact[] = []
  let read = 0
  let isHeld = false
  for await (const event of streamEvents<WalletEvent>(sources.log, { workspaceId, stream: walletStream(workspaceId), from: first })) {
    const mine = amountFor(event, messageId)
    if (mine !== null) {
      facts.push(factOf(event, mine.says))
      isHeld = mine.isHeld
    }
    read += 1
    const isBehind = comparePositions(event.position, last.position) > 0
    if ((isBehind && !isHeld && facts.length > 0) || read >= MOST_EVENTS) break
  }
  return facts
}

const amountFor = ({ type, data }: Recorded<WalletEvent>, messageId: MessageId): Readonly<{ says: string; isHeld: boolean }> | null => {
  if (type !== 'CreditsHeld' && type !== 'CreditsSettled' && type !== 'CreditsReleased') return null
  const hold = data.holds.find((one) => one.messageId === messageId)
  if (hold === undefined) return null
  const credits = hold.amount === 1 ? '1 credit' : `${hold.amount} credits`
  if (type === 'CreditsHeld') return { says: `${credits} held for it`, isHeld: true }
  return { says: type === 'CreditsSettled' ? `${credits} spent on it` : `${credits} released again`, isHeld: false }
}

/** The revision of the wallet's first event behind a place of the log, or of that time or later: found by halving, one event a step. */
const firstAfter = async ({ log }: Sources, workspaceId: WorkspaceId, after: Position | number): Promise<number> => {
  const stream = walletStream(workspaceId)
  const [newest] = await log.readStream<WalletEvent>(workspaceId, stream, { direction: 'backwards', limit: 1 })
  let from = 0
  let to = (newest?.revision ?? -1) + 1
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    const [event] = await log.readStream<WalletEvent>(workspaceId, stream, { from: middle, limit: 1 })
    if (event !== undefined && isAfter(event, after)) to = middle
    else from = middle + 1
  }
  return from
}

/** A minute of doubt about the clocks of two processes. */
const DOUBT_MS = 60_000

const isAfter = ({ position, meta }: Recorded, after: Position | number): boolean =>
  typeof after === 'number' ? Date.parse(meta.at) >= after - DOUBT_MS : comparePositions(position, after) > 0
