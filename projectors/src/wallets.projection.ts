import type { WalletEvent, WorkspaceId } from '@tidings/domain'
import { defineProjection, defineTable, type Rows, row } from '@tidings/projections'
import type { WalletRow } from '@tidings/read-models'

/** One row a workspace, which every send of it changes: with room on the page in place. */
const wallets = defineTable<WalletRow<string>>({
  name: 'wallets',
  columns: { workspace_id: 'uuid', balance: 'bigint', held: 'bigint', open_holds: 'integer', updated_at: 'timestamptz' },
  key: ['workspace_id'],
  fillfactor: 50,
})

type EventOfWallet = Readonly<{ meta: Readonly<{ workspaceId: WorkspaceId; at: string }> }>
type Change = Readonly<{ balance?: number; held?: number; holds?: number }>

const change = ({ meta: { workspaceId, at } }: EventOfWallet, rows: Rows, { balance = 0, held = 0, holds = 0 }: Change): void => {
  const known = rows.get(wallets, workspaceId)
  rows.put(wallets, {
    workspace_id: workspaceId,
    balance: (known?.balance ?? 0n) + BigInt(balance),
    held: (known?.held ?? 0n) + BigInt(held),
    open_holds: (known?.open_holds ?? 0) + holds,
    updated_at: at,
  })
}

const sumOf = (holds: readonly Readonly<{ amount: number }>[]): number => holds.reduce((sum, { amount }) => sum + amount, 0)

/**
 * The credits that each workspace can spend: for the sweep of holds and for metrics. Nothing is decided on it, and `credits show` reads the log. Money: an
 * event that cannot be applied stops it, because a balance without that event would be wrong.
 */
export const walletsProjection = defineProjection<WalletEvent>({
  name: 'wallets',
  version: 1,
  byStream: 'wallet',
  tables: [wallets],
  personal: [],
  onPoison: 'stop',
  reads: ({ meta: { workspaceId } }) => [row(wallets, workspaceId)],
  on: {
    CreditsAdded: (event, rows) => change(event, rows, { balance: event.data.amount }),
    CreditsHeld: (event, rows) => change(event, rows, { held: sumOf(event.data.holds), holds: event.data.holds.length }),
    CreditsSettled: (event, rows) => {
      const spent = sumOf(event.data.holds)
      change(event, rows, { balance: -spent, held: -spent, holds: -event.data.holds.length })
    },
    CreditsReleased: (event, rows) => change(event, rows, { held: -sumOf(event.data.holds), holds: -event.data.holds.length }),
    // The holds stay as they are, only their holders change.
    CreditHoldsTakenOver: () => undefined,
    // Repeats what the events before it have made.
    BalanceCarriedForward: () => undefined,
  },
})
