import { uuidv7 } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { ownValue, Refused, workspace, workspaceStream } from '@tidings/domain'
import { isAway } from '../send/is-away.ts'

export type OverdueAddress = Readonly<{ workspaceId: string; addressId: string; confirmBy: Date }>

/** Pending addresses whose link has ended, as the read side shows them: those that ended first, behind `after`, at most `limit`. */
export type FindOverdue = (page: Readonly<{ after: OverdueAddress | null; limit: number }>) => Promise<readonly OverdueAddress[]>

type Expiring = Readonly<{
  runner: Pick<CommandRunner, 'load' | 'execute'>
  overdue: FindOverdue
  now: () => string
  onFault: (error: unknown) => void
}>

const PAGE = 500
/** An address may be confirmed for a week: that it was not is looked for once a minute. */
const ROUNDS_AN_EXPIRY = 12

/** Expires in the first of so many calls, and in each call after one that failed or was cut short. */
export function createExpiry(expiring: Expiring): (ending: AbortSignal) => Promise<void> {
  let rounds = 0
  return async (ending) => {
    if (rounds % ROUNDS_AN_EXPIRY === 0) await expireConfirmations(expiring, ending)
    if (!ending.aborted) rounds++
  }
}

/**
 * Makes every address failed whose mailbox did not confirm it in time (M14). The log decides: the read side may be behind, and an address that
 * stays overdue there holds up none behind it. What fails for one is the fault of that one, unless the log or the database is away.
 */
export async function expireConfirmations(expiring: Expiring, ending: AbortSignal): Promise<void> {
  for (let after: OverdueAddress | null = null; ; ) {
    const page: readonly OverdueAddress[] = await expiring.overdue({ after, limit: PAGE })
    for (const address of page) {
      if (ending.aborted) return
      await expire(expiring, address)
    }
    if (page.length < PAGE) return
    after = page.at(-1) ?? null
  }
}

async function expire({ runner, now, onFault }: Expiring, { workspaceId, addressId }: OverdueAddress): Promise<void> {
  const stream = workspaceStream(workspaceId)
  try {
    const { state } = await runner.load({ decider: workspace, stream, workspaceId })
    const confirmation = ownValue(state.senderAddresses, addressId)?.confirmation
    if (!confirmation) return
    const { confirmationId } = confirmation
    const at = now()
    const command = { type: 'FailSenderConfirmation', data: { confirmationId, reason: 'expired', at } } as const
    const context = { commandId: uuidv7(), workspaceId, actor: 'service', requestId: confirmationId, at }
    await runner.execute({ decider: workspace, stream, command, context })
  } catch (error) {
    if (isAway(error)) throw error
    // Refused: asked again since.
    if (!(error instanceof Refused)) onFault(error)
  }
}
