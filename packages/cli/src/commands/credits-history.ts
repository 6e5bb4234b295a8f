import { kyselyOn } from '@tidings/postgres'
import { allWorkspaces, type ReadModels } from '@tidings/read-models'
import { readStatement, type StatementEntry, verifyWallet } from '@tidings/wallet'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import { type Answer, listAnswer } from '../terminal/answer.ts'

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

/** `tidings credits verify`: one workspace, or all of them. The log says which wallets there are right; the read models name the workspaces. */
export function verify({ workspace: slug, json }: Readonly<{ workspace?: string; json: boolean }>): Promise<void> {
  return withOperator(json, (operator) => (slug === undefined ? verifyAll(operator) : verifyOne(operator, slug)))
}

async function verifyOne(operator: Operator, slug: string): Promise<Answer> {
  const { id } = await existingWorkspace(operator, slug)
  const verified = await verifyWallet(operator.stores.log, id)
  if (!verified.ok) process.exitCode = 1
  const { ok, events, balance, held, problems } = verified
  return { json: verified, lines: ok ? [`${events} events are right: ${balance} credits, ${held} of them held`] : problems }
}

/** One after the other: each may have millions of events. */
async function verifyAll({ stores }: Operator): Promise<Answer> {
  const items: object[] = []
  const lines: string[] = []
  for (const { slug, workspaceId } of await allWorkspaces(kyselyOn<ReadModels>(stores.pool))) {
    const verified = await verifyWallet(stores.log, workspaceId)
    const { ok, events, balance, held, problems } = verified
    if (!ok) process.exitCode = 1
    items.push({ workspace: slug, ...verified })
    if (ok) lines.push(`${slug}: ${events} events are right: ${balance} credits, ${held} of them held`)
    else lines.push(...problems.map((problem) => `${slug}: ${problem}`))
  }
  return { json: { items }, lines: lines.length === 0 ? ['There are no workspaces.'] : lines }
}
