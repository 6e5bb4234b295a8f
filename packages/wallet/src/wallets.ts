import { isoNow } from '@tidings/async/clock'
import { uuidv7 } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import {
  availableCredits,
  type HoldOf,
  MAX_HOLDER_LENGTH,
  MAX_OPEN_HOLDS,
  type MessageId,
  type WalletCommand,
  type WalletState,
  type WorkspaceId,
  wallet,
  walletStream,
} from '@tidings/domain'
import { balanceOf } from './balance.ts'
import { createWalletBatches, type WalletItem } from './wallet-batches.ts'

/** `busy`: the wallet has as many open holds as it may; later there may be room. */
type HoldResult = 'held' | 'insufficient_credits' | 'busy'

/** What one attempt wants set aside. `holder` is another for each attempt, such as the token of its lease: up to 64 ASCII characters. */
type HoldOrder = Readonly<{
  workspaceId: WorkspaceId
  holder: string
  messages: readonly Readonly<{ messageId: MessageId; amount: number }>[]
}>

/** The messages of one attempt, or of several. */
type Ending = Readonly<{ workspaceId: WorkspaceId; holds: readonly HoldOf[] }>

/** The credits of a workspace that can be held went below the threshold. */
export type LowCredits = Readonly<{ workspaceId: WorkspaceId; available: number; threshold: number }>

type WalletsOptions = Readonly<{
  commands: CommandRunner
  /** 0 for none. `onLowCredits` is called once each time the threshold is crossed downwards, by the process that crossed it. */
  lowCreditsThreshold?: number
  onLowCredits?: (low: LowCredits) => void
  now?: () => string
  /** The pause between two appends of this process to one wallet. */
  gapMs?: number
}>

const GAP_MS = 10

/**
 * The wallets for those who send. Every call may be repeated, and rejects as `execute` of the command runner does; then what it asked for
 * happened or not, and the holder asks again, or leaves it to `sweepHolds`.
 */
export type Wallets = Readonly<{
  /**
   * Sets credits aside for the messages, in their order, one result a message; all of them in one event. After `held` the holder reads the
   * message: where it is not queued any more the hold may have come too late, and `reconcileHolds` ends it as is right.
   */
  hold: (order: HoldOrder) => Promise<ReadonlyMap<string, HoldResult>>
  /** The provider accepted the messages, and the log says so. */
  settle: (ending: Ending) => Promise<void>
  /** The messages were not accepted by the provider. */
  release: (ending: Ending) => Promise<void>
  /** Whether so many holds are open that those of messages that wait for another try should make room for others. */
  isCrowded: (workspaceId: WorkspaceId) => Promise<boolean>
  /** The balance as the log has it now. */
  balanceOf: (workspaceId: WorkspaceId) => ReturnType<typeof balanceOf>
}>

export function createWallets(options: WalletsOptions): Wallets {
  const { commands, lowCreditsThreshold = 0, onLowCredits, now = isoNow, gapMs = GAP_MS } = options

  const noteLow = (workspaceId: WorkspaceId, before: WalletState, after: WalletState): void => {
    const available = availableCredits(after)
    if (availableCredits(before) < lowCreditsThreshold || available >= lowCreditsThreshold) return
    onLowCredits?.({ workspaceId, available, threshold: lowCreditsThreshold })
  }

  const execute = async (workspaceId: WorkspaceId, command: WalletCommand): Promise<WalletState> => {
    const commandId = uuidv7()
    const context = { commandId, workspaceId, actor: 'pipeline', requestId: commandId, at: now() }
    const { before, state } = await commands.execute({ decider: wallet, stream: walletStream(workspaceId), command, context })
    noteLow(workspaceId, before, state)
    return state
  }

  const change = createWalletBatches(async (workspaceId, items) => {
    // Commands that are given at once are written in one append: the wallet is a hot stream.
    const states = await Promise.all(commandsOf(items).map((command) => execute(workspaceId, command)))
    const types = commandsOf(items).map(({ type }) => type)
    return items.map(({ type }) => states[types.indexOf(type)]!)
  }, gapMs)

  const end = async (type: 'SettleHolds' | 'ReleaseHolds', { workspaceId, holds }: Ending): Promise<void> => {
    if (holds.length > 0) await change(workspaceId, { type, holds })
  }

  return {
    hold: async ({ workspaceId, holder, messages }) => {
      const holds = messages.map(({ messageId, amount }) => ({ messageId, amount, holder }))
      if (holds.some(({ amount }) => !Number.isInteger(amount) || amount < 1))
        throw new RangeError('a message costs whole credits, at least one')
      if (holder === '' || holder.length > MAX_HOLDER_LENGTH) throw new RangeError(`a holder has 1 to ${MAX_HOLDER_LENGTH} characters`)
      const state = await change(workspaceId, { type: 'HoldCredits', holds })
      return new Map(holds.map((hold) => [hold.messageId, resultOf(state, hold)]))
    },
    settle: (ending) => end('SettleHolds', ending),
    release: (ending) => end('ReleaseHolds', ending),
    isCrowded: async (workspaceId) => {
      const { state } = await commands.load({ decider: wallet, stream: walletStream(workspaceId), workspaceId })
      return state.holds.size > MAX_OPEN_HOLDS / 2
    },
    balanceOf: (workspaceId) => balanceOf(commands, workspaceId),
  }
}

/** Ends are written first, because they make room for new holds. */
const commandsOf = (items: readonly WalletItem[]): readonly WalletCommand[] => [
  ...endingOf('SettleHolds', items),
  ...endingOf('ReleaseHolds', items),
  ...holdingOf(items),
]

const endingOf = (type: 'SettleHolds' | 'ReleaseHolds', items: readonly WalletItem[]): readonly WalletCommand[] => {
  const holds = items.flatMap((item) => (item.type === type ? item.holds : []))
  return holds.length > 0 ? [{ type, data: { holds } }] : []
}

const holdingOf = (items: readonly WalletItem[]): readonly WalletCommand[] => {
  const holds = items.flatMap((item) => (item.type === 'HoldCredits' ? item.holds : []))
  return holds.length > 0 ? [{ type: 'HoldCredits', data: { holds } }] : []
}

const resultOf = ({ holds }: WalletState, { messageId, holder }: HoldOf): HoldResult => {
  if (holds.get(messageId)?.holder === holder) return 'held'
  return holds.size >= MAX_OPEN_HOLDS ? 'busy' : 'insufficient_credits'
}
