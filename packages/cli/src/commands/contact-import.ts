import { isoNow } from '@tidings/async/clock'
import { createCommandRunner, isOutage } from '@tidings/commands'
import { OperationFailed } from '@tidings/config'
import { type Counts, type Importing, importPeople, openPeopleFile, type PeopleFile, parseColumnMap, tryImport } from '@tidings/people'
import { contactsIn } from '@tidings/service/operations'
import { followReads } from '@tidings/service/read-side'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { customFieldKinds, sayingColumns, staticList } from '../operator/people.ts'
import { readText } from '../operator/read-text.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import type { Answer } from '../terminal/answer.ts'
import { type Progress, startProgress } from '../terminal/progress.ts'
import { sentenceOf } from '../terminal/sentence-of.ts'

type ImportOptions = Readonly<{ workspace: string; map?: string; encoding?: string; list?: string; dryRun: boolean; json: boolean }>

/** `tidings contact import` (M67). The file is read to its end before anything is opened or written. */
export async function importFile(file: string, options: ImportOptions): Promise<void> {
  const { workspace, map, encoding, list, dryRun, json } = options
  const people = await sayingColumns(opened(file, { map, encoding }))
  await withOperator(json, async (operator) => {
    const { stores } = operator
    const { id: workspaceId, state } = await existingWorkspace(operator, workspace)
    const reads = await followReads(stores)
    try {
      await reads.shown(await stores.log.head())
      const progress = await startProgress(dryRun ? 'Trying' : 'Importing')
      const runner = createCommandRunner({ log: stores.log })
      const importing: Importing = {
        ...{ log: stores.log, pool: stores.pool, runner, workspaceId, now: isoNow, shown: reads.shown },
        contacts: contactsIn(stores, { runner, onUnreleased: (error) => operator.log.warn({ err: error }, 'a claim was not released') }),
        list: list === undefined ? null : await staticList(stores.pool, { id: workspaceId, slug: workspace }, list),
        reading: { country: state.settings.country, kinds: await customFieldKinds(stores.pool, workspaceId) },
        onProgress: (read) => progress.update(read, people.count),
      }
      return await (dryRun ? tried : imported)({ operator, importing, people, progress })
    } finally {
      await reads.stop()
    }
  })
}

const opened = async (
  file: string,
  { map, encoding }: Readonly<{ map: string | undefined; encoding: string | undefined }>,
): Promise<PeopleFile> =>
  await openPeopleFile({
    file,
    map: map === undefined ? new Map() : parseColumnMap(await readText(map), map),
    ...(encoding && { encoding }),
  })

type Work = Readonly<{ operator: Operator; importing: Importing; people: PeopleFile; progress: Progress }>

const imported = async ({ operator, importing, people, progress }: Work): Promise<Answer> => {
  const { counts, position } = await importPeople(importing, people).catch(endedByOutage).finally(progress.stop)
  await operator.settle(position)
  return answerOf(counts, `Read ${counts.read} lines: ${sayCounts(counts)}.`)
}

const endedByOutage = (error: unknown): never => {
  if (!isOutage(error)) throw error
  throw new OperationFailed(`${sentenceOf(error)} With the same file it goes on where it was.`, { cause: error })
}

const tried = async ({ importing, people, progress }: Work): Promise<Answer> => {
  const counts = await tryImport(importing, people).finally(progress.stop)
  return answerOf(counts, `Read ${counts.read} lines and wrote nothing. An import would give: ${sayCounts(counts)}.`)
}

const sayCounts = ({ created, updated, unchanged, refusedCount }: Counts): string =>
  `${created} created, ${updated} updated, ${unchanged} unchanged, ${refusedCount} refused`

const answerOf = (counts: Counts, sentence: string): Answer => {
  const { refused, refusedCount } = counts
  const more = refusedCount > refused.length ? [`… and ${refusedCount - refused.length} more.`] : []
  return { json: counts, lines: [sentence, ...refused.map(({ line, why }) => `line ${line}: ${why}`), ...more] }
}
