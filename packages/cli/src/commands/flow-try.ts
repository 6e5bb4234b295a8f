import { databaseNow } from '@tidings/async/clock'
import { readContact } from '@tidings/directory'
import type { ContactId, EventFacts, WorkspaceId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { type TriedFlow, tryFlows } from '@tidings/provisioning'
import { parseWorkspaceFile } from '@tidings/provisioning/workspace-file'
import { activityCounts, type ReadModels } from '@tidings/read-models'
import { contactName, namedContact, noContact } from '../operator/existing-contact.ts'
import { readText } from '../operator/read-text.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import { listAnswer } from '../terminal/answer.ts'
import { stepKind, stepWords } from './step-words.ts'

type TriedContact = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>

const countEvents =
  ({ stores }: Operator, of: TriedContact) =>
  (names: readonly string[]): Promise<ReadonlyMap<string, EventFacts>> =>
    activityCounts(kyselyOn<ReadModels>(stores.pool), { ...of, names })

/** `at`: when, if the contact entered now; `step`: where it is in the file. */
const shown = ({ flow, steps, ends }: TriedFlow) => ({
  flow,
  steps: steps.map(({ path, at, outcome }) => ({ step: path, at, does: stepKind(outcome), says: stepWords(outcome) })),
  ends,
})

const linesOf = ({ flow, steps, ends }: ReturnType<typeof shown>): string =>
  [flow, ...steps.map(({ at, step, says }) => `  ${at}  ${step}  ${says}`), `  ends: ${ends}`].join('\n')

/** `tidings flow try`: walks the flows of a file without sending. Writes nothing. */
export async function tryFile({ file, contact, json }: Readonly<{ file: string; contact: string; json: boolean }>): Promise<void> {
  contactName(contact)
  const wanted = parseWorkspaceFile(await readText(file))
  await withOperator(json, async (operator) => {
    const asked = { workspace: wanted.workspace.slug, id: contact }
    const of = await namedContact(operator, asked)
    const known = await readContact(operator.stores.log, of)
    if (known === null) throw noContact(asked)
    const tried = await tryFlows({
      to: operator.provisioner,
      file: wanted,
      contact: known,
      countEvents: countEvents(operator, of),
      now: databaseNow(),
    })
    return listAnswer(tried.map(shown), linesOf, 'The file has no flows.')
  })
}
