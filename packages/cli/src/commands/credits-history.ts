import { readStatement, type StatementEntry, verifyWallet } from '@tidings/wallet'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { withOperator } from '../operator/with-operator.ts'
import { listAnswer } from '../terminal/answer.ts'

type OfWorkspace = Readonly<{ workspace: string; json: boolean }>
type Period = Readonly<{ from?: string; to?: string }>

const lineOf = ({ at, entry, amount, balance, held, messageId, note }: StatementEntry): string =>
  [at, entry.padEnd(7), String(amount).padStart(6), `balance ${balance}, held ${held}`, messageId ?? note ?? ''].join('  ').trimEnd()

/** `tidings credits statement`: `from` is inclusive, `to` is not. Entries outside are read, and not kept. */
export function statement({ workspace: slug, json, from, to }: OfWorkspace & Period): Promise<void> {
  return withOperator(json, async (operator) => {
    const { id } = await existingWorkspace(operator, slug)
    const items: StatementEntry[] = []
    for await (const entry of readStatement(operator.stores.log, id)) {
      if ((from === undefined || entry.at >= from) && (to === undefined || entry.at < to)) items.push(entry)
    }
    return listAnswer(items, lineOf, 'There are no entries.')
  })
}

/** `tidings credits verify`. */
export function verify({ workspace: slug, json }: OfWorkspace): Promise<void> {
  return withOperator(json, async (operator) => {
    const { id } = await existingWorkspace(operator, slug)
    const verified = await verifyWallet(operator.stores.log, id)
    if (!verified.ok) process.exitCode = 1
    const { ok, events, balance, held, problems } = verified
    return { json: verified, lines: ok ? [`${events} events are right: ${balance} credits, ${held} of them held`] : problems }
  })
}
