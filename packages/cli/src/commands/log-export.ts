import { threadCount } from '@tidings/async/threads'
import { exportLog, type Format, type Selection } from '@tidings/backup-and-export/log-export'
import { eventDeclarations } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import { startProgress } from '../terminal/progress.ts'

type LogExportOptions = Readonly<{
  out: string
  format: Format
  types?: readonly string[]
  workspace?: string
  from?: Position
  since?: string
  until?: string
  sealed: boolean
  threads?: number
  json: boolean
}>

const selectionOf = async (operator: Operator, { workspace, ...options }: LogExportOptions): Promise<Selection> => ({
  format: options.format,
  sealed: options.sealed,
  types: options.types ?? null,
  workspaceId: workspace === undefined ? null : (await existingWorkspace(operator, workspace)).id,
  from: options.from ?? null,
  since: options.since ?? null,
  until: options.until ?? null,
})

/** `tidings log export`. */
export function run(options: LogExportOptions): Promise<void> {
  return withOperator(
    options.json,
    async (operator) => {
      const { store, log, workPool: pool } = operator.stores
      const source = operator.stores.threadSource()
      const selection = await selectionOf(operator, options)
      const progress = await startProgress('Exporting')
      const exported = await exportLog({
        ...{ file: options.out, selection, store, log, pool },
        known: new Set(Object.keys(eventDeclarations)),
        threads: source && { ...source, count: options.threads ?? threadCount() },
        onProgress: (at, head) => progress.update(Number(at.commit), Number(head.commit)),
      }).finally(progress.stop)
      const lines = [
        `Exported ${exported.events} events to ${exported.file}.`,
        ...(exported.to === null ? [] : [`The next export goes on with --from ${exported.to}.`]),
        ...(options.sealed ? [] : ['The file holds personal data in clear, which no erasure reaches: delete it when you have used it.']),
      ]
      return { json: exported, lines }
    },
    { readsReplicas: true },
  )
}
