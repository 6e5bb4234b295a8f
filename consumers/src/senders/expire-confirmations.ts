import { uuidv7 } from '@tidings/codec'
import type { CommandExecutor, StateLoader } from '@tidings/commands'
import { ownValue, Refused, type WorkspaceId, workspace, workspaceStream } from '@tidings/domain'
import { isAway } from '../is-away.ts'

export type OverdueAddress = Readonly<{ workspaceId: WorkspaceId; addressId: string; confirmBy: Date }>

/** Pending addresses whose link has ended, as the read side shows them: those that ended first, behind `after`, at most `limit`. */
export type FindOverdue = (page: Readonly<{ after: OverdueAddress | null; limit: number }>) => Promise<readonly OverdueAddress[]>

type Expiring = Readonly<{
  commands: CommandExecutor & StateLoader
  overdue: FindOverdue
  now: () => string
  onFault: (error: unknown) => void
}>

const PAGE = 500
/** An address may be confirmed for a week: that it was not is looked for once a minute. */
const ROUNDS_AN_EXPIRY = 12

/**
 * Expires a page in the first of so many calls, in each call after one that failed or was cut short, and in each until no page is left: others wait
 * for at most one.
 */
export function createExpiry(expiring: Expiring): (ending: AbortSignal) => Promise<void> {
  let rounds = 0
  let after: OverdueAddress | null = null
  return async (ending) => {
    if (after !== null || rounds % ROUNDS_AN_EXPIRY === 0) after = await expireConfirmations(expiring, after, ending)
    if (after === null && !ending.aborted) rounds++
  }
}

/**
 * Makes the addresses of a page failed whose mailbox did not confirm them in time (M14), and answers with what the next page is behind, null where there is
 * none. The log decides: the read side may be behind, and an address that stays overdue there delays none behind it. What fails for one is the
 * fault of that one, unless the log or the database is away.
 */
export async function expireConfirmations(
  expiring: Expiring,
  after: OverdueAddress | null,
  ending: AbortSignal,
): Promise<OverdueAddress | null> {
  const page = await expiring.overdue({ after, limit: PAGE })
  for (const address of page) {
    if (ending.aborted) return after
    await expire(expiring, address)
  }
  return page.length < PAGE ? null : (page.at(-1) ?? null)
}

async function expire({ commands, now, onFault }: Expiring, { workspaceId, addressId }: OverdueAddress): Promise<void> {
  const stream = workspaceStream(workspaceId)
  try {
    const { state } = await commands.load({ decider: workspace, stream, workspaceId })
    const confirmation = ownValue(state.senderAddresses, addressId)?.confirmation
    if (!confirmation) return
    const { confirmationId } = confirmation
    const at = now()
    const command = { type: 'FailSenderConfirmation', data: { confirmationId, reason: 'expired', at } } as const
    const context = { commandId: uuidv7(), workspaceId, actor: 'service', requestId: confirmationId, at }
    await commands.execute({ decider: workspace, stream, command, context })
  } catch (error) {
    if (isAway(error)) throw error
    // Refused: asked again since.
    if (!(error instanceof Refused)) onFault(error)
  }
}
