import { uuidv7 } from '@tidings/codec'
import { MAX_BALANCE, type WorkspaceId, wallet, walletStream } from '@tidings/domain'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { sayingWhy } from '../operator/refused.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import type { Answer } from '../terminal/answer.ts'

type OfWorkspace = Readonly<{ workspace: string; json: boolean }>

/** Reads the log itself: a balance is never shown from a read model. */
const balanceOf = async ({ provisioner }: Operator, workspaceId: WorkspaceId): Promise<Answer> => {
  const { balance, held } = await provisioner.load(workspaceId, wallet, walletStream(workspaceId))
  return { json: { balance, held }, lines: [`${balance} credits, ${held} of them held`] }
}

/** `tidings credits add`: each call adds. */
export function add({ workspace: slug, amount, note, json }: OfWorkspace & Readonly<{ amount: number; note?: string }>): Promise<void> {
  return withOperator(json, async (operator) => {
    const { id } = await existingWorkspace(operator, slug)
    const command = { type: 'AddCredits', data: { commandId: uuidv7(), amount, note: note ?? null } } as const
    await sayingWhy(operator.provisioner.execute(id, wallet, walletStream(id), command), {
      wallet_full: `A wallet holds at most ${MAX_BALANCE} credits: add fewer.`,
    })
    await operator.settle()
    return await balanceOf(operator, id)
  })
}

/** `tidings credits show`. */
export function show({ workspace: slug, json }: OfWorkspace): Promise<void> {
  return withOperator(json, async (operator) => balanceOf(operator, (await existingWorkspace(operator, slug)).id))
}
