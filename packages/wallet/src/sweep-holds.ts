import { isoNow } from '@tidings/async/clock'
import type { EventLog, Recorded } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import {
  type MessageEvent,
  type MessageId,
  message,
  messageStream,
  type OpenHold,
  type WalletEvent,
  type WorkspaceId,
  wallet,
  walletStream,
} from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import { isRetryable } from '@tidings/postgres'
import type { Wallets } from './wallets.ts'

type SweepLimits = Readonly<{
  /** A younger hold is left to its holder. */
  settledAfterMs: number
  /** A hold of a passcode that is still queued, or of no message, is ended when its holder has had it for longer: more than any request may last. */
  orphanedAfterMs: number
}>

/** `heldSince`: since when its holder has had the oldest hold that is left; null where none is. */
export type Swept = Readonly<{ settled: number; released: number; open: number; heldSince: string | null }>

/**
 * `onFault`: why the end of one hold could not be found; it stays open, and the others go on. An outage ends the whole sweep instead.
 * `logWasAway`: a moment ago, so that an attempt may be about to record what it did long ago: holds of queued messages stay open.
 */
export type Sweeping = Readonly<{
  log: EventLog
  commands: CommandRunner
  wallets: Wallets
  workspaceId: WorkspaceId
  onFault?: (error: unknown) => void
  logWasAway?: boolean
}>

const DEFAULTS: SweepLimits = { settledAfterMs: 60_000, orphanedAfterMs: 15 * 60_000 }
const READS_AT_ONCE = 64

/**
 * Ends the holds whose holder is gone, by what the log says of their messages. Several processes may do so at once: a hold ends once. Reads the
 * wallet, the oldest of its holds, and a message for each hold that is old enough.
 */
export async function sweepHolds(sweeping: Sweeping, now: number, limits: SweepLimits = DEFAULTS): Promise<Swept> {
  return await endHolds(sweeping, await openHolds(sweeping), async (hold) => {
    const age = now - Date.parse(hold.heldAt)
    if (age < limits.settledAfterMs) return 'too young'
    const { end, history } = await hold.look()
    const isOrphaned = end === 'open' && age >= limits.orphanedAfterMs && sweeping.logWasAway !== true
    return isOrphaned ? await endOrphaned(sweeping, history) : end
  })
}

/** Ends the open holds of these messages where the log decides it, however young they are; for a holder that found its message not queued any more. */
export async function reconcileHolds(sweeping: Sweeping, messageIds: readonly MessageId[]): Promise<Swept> {
  const wanted = new Set(messageIds)
  const holds = (await openHolds(sweeping)).filter(({ messageId }) => wanted.has(messageId))
  return await endHolds(sweeping, holds, async (hold) => (await hold.look()).end)
}

const openHolds = async ({ commands, workspaceId }: Sweeping): Promise<readonly OpenHold[]> => {
  const { state } = await commands.load({ decider: wallet, stream: walletStream(workspaceId), workspaceId })
  return [...state.holds.values()].sort((a, b) => a.holderRevision - b.holderRevision)
}

/** `heldAt`: since when the holder has had it. `look`: reads what became of the message. */
type Judged = Readonly<{ heldAt: string; look: () => Promise<FoundEnd> }>
type FoundEnd = Readonly<{ end: EndOfHold; history: History }>
type History = readonly Recorded<MessageEvent>[]
type Judge = (hold: Judged) => Promise<EndOfHold | 'too young'>

async function endHolds(sweeping: Sweeping, holds: readonly OpenHold[], judge: Judge): Promise<Swept> {
  const { wallets, workspaceId } = sweeping
  const ends = { settle: [] as OpenHold[], release: [] as OpenHold[] }
  const eventAt = walletReader(sweeping)
  let heldSince: string | null = null
  for (const [holderRevision, held] of Map.groupBy(holds, (hold) => hold.holderRevision)) {
    const since = await eventAt(holderRevision)
    if (since === undefined) break
    const judgeOne = (hold: OpenHold) =>
      endOf(sweeping, () => judge({ heldAt: since.created, look: () => lookAt(sweeping, hold, eventAt) }))
    const judged: (EndOfHold | 'too young')[] = []
    for (let from = 0; from < held.length; from += READS_AT_ONCE)
      judged.push(...(await Promise.all(held.slice(from, from + READS_AT_ONCE).map(judgeOne))))
    for (const [n, end] of judged.entries()) if (end === 'settle' || end === 'release') ends[end].push(held[n]!)
    if (judged.includes('open') || judged.includes('too young')) heldSince ??= since.created
    // Those after it are younger.
    if (judged[0] === 'too young') break
  }
  await wallets.settle({ workspaceId, holds: ends.settle })
  await wallets.release({ workspaceId, holds: ends.release })
  const [settled, released] = [ends.settle.length, ends.release.length]
  return { settled, released, open: holds.length - settled - released, heldSince }
}

/** A message that cannot be read must not keep the holds of the others: their credits would never come back. */
async function endOf({ onFault }: Sweeping, judge: () => Promise<EndOfHold | 'too young'>): Promise<EndOfHold | 'too young'> {
  try {
    return await judge()
  } catch (error) {
    if (isRetryable(error)) throw error
    onFault?.(error)
    return 'open'
  }
}

type EventAt = (revision: number) => Promise<Recorded<WalletEvent> | undefined>

const lookAt = async ({ log, workspaceId }: Sweeping, hold: OpenHold, eventAt: EventAt): Promise<FoundEnd> => {
  const [placed, history] = await Promise.all([
    eventAt(hold.revision),
    log.readStream<MessageEvent>(workspaceId, messageStream(workspaceId, hold.messageId)),
  ])
  return { end: placed === undefined ? 'open' : endOfHold(placed.position, history), history }
}

/**
 * Decides a hold whose request is gone. A passcode has no later attempt: it has failed, and that is recorded before its credits are free; one
 * that was never accepted needs no record. Any other message may still be given to its provider, however long that takes: nothing but its
 * outcome ends its hold (M58).
 */
async function endOrphaned({ commands, workspaceId }: Sweeping, [first]: History): Promise<EndOfHold> {
  if (first === undefined) return 'release'
  if (first.type !== 'PasscodeAccepted') return 'open'
  const { messageId } = first.data
  const commandId = `${messageId}.orphaned`
  const { state } = await commands.execute({
    decider: message,
    stream: messageStream(workspaceId, messageId),
    command: { type: 'RecordFailed', data: { reason: 'provider_unavailable', detail: null } },
    context: { commandId, workspaceId, actor: 'pipeline', requestId: commandId, at: isoNow() },
  })
  // An outcome that was recorded in the last moment decides at the next sweep.
  return state.status === 'failed' ? 'release' : 'open'
}

/** Reads single events of the wallet, each once. */
const walletReader = ({ log, workspaceId }: Sweeping): EventAt => {
  const read = new Map<number, Promise<Recorded<WalletEvent> | undefined>>()
  return (revision) => {
    const known = read.get(revision)
    if (known !== undefined) return known
    const events = log.readStream<WalletEvent>(workspaceId, walletStream(workspaceId), { from: revision, limit: 1 })
    const first = events.then(([event]) => event)
    read.set(revision, first)
    return first
  }
}

/** `open`: nothing was decided about the message yet, so an attempt may be working on it. */
type EndOfHold = 'settle' | 'release' | 'open'

const ACCEPTED: ReadonlySet<string> = new Set(['MessageSent', 'MessageDelivered', 'MessageBounced', 'MessageComplained'])

/**
 * What is right for an open hold, by what happened to its message. A hold that was placed before the provider's acceptance is the one that pays for
 * it: had another paid, this one could not have been open beside it. One that was placed afterwards is of an attempt that came too late.
 */
function endOfHold(placed: Position, history: readonly Recorded<MessageEvent>[]): EndOfHold {
  const accepted = history.find(({ type }) => ACCEPTED.has(type))
  if (accepted !== undefined) return comparePositions(placed, accepted.position) < 0 ? 'settle' : 'release'
  const { status } = history.reduce(message.evolve, message.initialState)
  return status === 'none' || status === 'queued' ? 'open' : 'release'
}
