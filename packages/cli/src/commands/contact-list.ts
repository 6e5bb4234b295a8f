import { resolve } from 'node:path'
import { type ListFormat, listPeople } from '@tidings/people'
import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, type ReadModels } from '@tidings/read-models'
import { followReads } from '@tidings/service/read-side'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { customFieldKinds } from '../operator/people.ts'
import { withOperator } from '../operator/with-operator.ts'
import { WrongUsage } from '../terminal/answer.ts'
import { startProgress } from '../terminal/progress.ts'

type ListOptions = Readonly<{ workspace: string; out: string; format?: ListFormat; json: boolean }>

/** `tidings contact list`: everybody, in a file that `contact import` takes (M67). */
export function list({ workspace, out, format: asked, json }: ListOptions): Promise<void> {
  const format = asked ?? formatOf(out)
  return withOperator(json, async (operator) => {
    const { stores } = operator
    const { id: workspaceId } = await existingWorkspace(operator, workspace)
    const reads = await followReads(stores)
    try {
      await reads.shown(await stores.log.head())
    } finally {
      await reads.stop()
    }
    const file = resolve(out)
    const kinds = await customFieldKinds(stores.pool, workspaceId)
    const total = Number(await forWorkspace(kyselyOn<ReadModels>(stores.pool), workspaceId).profileTotal('all'))
    const progress = await startProgress('Listing')
    const onProgress = (done: number): void => progress.update(done, Math.max(done, total))
    const contacts = await listPeople({ pool: stores.pool, workspaceId, kinds, file, format, onProgress }).finally(progress.stop)
    return {
      json: { contacts, file },
      lines: [`Wrote ${contacts} contacts to ${file}. It holds personal data in clear, which no erasure reaches.`],
    }
  })
}

const formatOf = (out: string): ListFormat => {
  if (/\.csv$/i.test(out)) return 'csv'
  if (/\.(?:ndjson|jsonl)$/i.test(out)) return 'ndjson'
  throw new WrongUsage(`${out} ends neither with .csv nor with .ndjson: say what it is to be by --format.`)
}
