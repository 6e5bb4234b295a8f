import type { EventLog, Recorded } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { type MessageEvent, messageStream, type OpenHold, type WalletEvent, wallet, walletStream } from '@tidings/domain'
import { type EndOfHold, endOfHold } from './end-of-hold.ts'
import type { Wallets } from './wallets.ts'

type SweepLimits = Readonly<{
  /** What a holder has had for less is left to it. */
  settledAfterMs: number
  /** A hold for a message that is still queued is released when its holder has had it for longer: more than any attempt may last. */
  orphanedAfterMs: number
}>

type Swept = Readonly<{ settled: number; released: number; open: number }>

type Sweeping = Readonly<{ log: EventLog; commands: CommandRunner; wallets: Wallets; workspaceId: string }>

const DEFAULTS: SweepLimits = { settledAfterMs: 60_000, orphanedAfterMs: 15 * 60_000 }
const READS_AT_ONCE = 64

/**
 * Ends the holds whose holder is gone, by what the log says of their messages. Several processes may do so at once: a hold ends once. Reads the
 * wallet, the oldest of its holds, and a message for each hold that is old enough.
 */
export async function sweepHolds(sweeping: Sweeping, now: number, limits: SweepLimits = DEFAULTS): Promise<Swept> {
  return await endHolds(sweeping, await openHolds(sweeping), (end, heldAt) => {
    const age = now - Date.parse(heldAt)
    if (age < limits.settledAfterMs) return 'too young'
    return end === 'open' && age >= limits.orphanedAfterMs ? 'release' : end
  })
}

/** Ends the open holds of these messages where the log decides it, however young they are; for a holder that found its message not queued any more. */
export async function reconcileHolds(sweeping: Sweeping, messageIds: readonly string[]): Promise<Swept> {
  const wanted = new Set(messageIds)
  const holds = (await openHolds(sweeping)).filter(({ messageId }) => wanted.has(messageId))
  return await endHolds(sweeping, holds, (end) => end)
}

const openHolds = async ({ commands, workspaceId }: Sweeping): Promise<readonly OpenHold[]> => {
  const { state } = await commands.load({ decider: wallet, stream: walletStream(workspaceId), workspaceId })
  return [...state.holds.values()].sort((a, b) => a.holderRevision - b.holderRevision)
}

/** `heldAt`: since when the holder has had it. */
type Judge = (end: EndOfHold, heldAt: string) => EndOfHold | 'too young'

async function endHolds(sweeping: Sweeping, holds: readonly OpenHold[], judge: Judge): Promise<Swept> {
  const { log, wallets, workspaceId } = sweeping
  const ends = { settle: [] as OpenHold[], release: [] as OpenHold[], open: [] as OpenHold[] }
  const eventAt = walletReader(sweeping)
  for (const [holderRevision, held] of Map.groupBy(holds, (hold) => hold.holderRevision)) {
    const since = await eventAt(holderRevision)
    if (since === undefined || judge('open', since.created) === 'too young') break
    for (let from = 0; from < held.length; from += READS_AT_ONCE) {
      const some = held.slice(from, from + READS_AT_ONCE)
      const histories = await Promise.all(some.map(({ messageId }) => historyOf(log, workspaceId, messageId)))
      for (const [n, hold] of some.entries()) {
        const placed = await eventAt(hold.revision)
        const end = placed === undefined ? 'open' : judge(endOfHold(placed.position, histories[n] ?? []), since.created)
        if (end !== 'too young') ends[end].push(hold)
      }
    }
  }
  await wallets.settle({ workspaceId, holds: ends.settle })
  await wallets.release({ workspaceId, holds: ends.release })
  return { settled: ends.settle.length, released: ends.release.length, open: holds.length - ends.settle.length - ends.release.length }
}

/** Reads single events of the wallet, each once. */
const walletReader = ({ log, workspaceId }: Sweeping) => {
  const read = new Map<number, Recorded<WalletEvent> | undefined>()
  return async (revision: number): Promise<Recorded<WalletEvent> | undefined> => {
    if (!read.has(revision)) {
      const [event] = await log.readStream<WalletEvent>(workspaceId, walletStream(workspaceId), { from: revision, limit: 1 })
      read.set(revision, event)
    }
    return read.get(revision)
  }
}

const historyOf = (log: EventLog, workspaceId: string, messageId: string): Promise<readonly Recorded<MessageEvent>[]> =>
  log.readStream<MessageEvent>(workspaceId, messageStream(workspaceId, messageId))
