import type { WorkspaceId } from '@tidings/domain'

/** `balance`: SMS credits that are not spent, the `held` ones included (D6). `open_holds`: messages that credits are held for. */
export type WalletRow<Time = Date> = {
  workspace_id: WorkspaceId
  balance: bigint
  held: bigint
  open_holds: number
  updated_at: Time
}
