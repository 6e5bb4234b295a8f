import { OperationFailed } from '@tidings/config'
import type { EventFacts } from '@tidings/domain'
import { readContact } from '@tidings/flows'
import { type TriedFlow, tryFlows } from '@tidings/provisioning'
import { parseWorkspaceFile } from '@tidings/provisioning/workspace-file'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { readText } from '../operator/read-text.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import { listAnswer } from '../terminal/answer.ts'

type Counted = Readonly<{ event: string; count: string; last_at: Date }>
type Of = Readonly<{ workspaceId: string; contactId: string }>

const countEvents =
  ({ stores }: Operator, { workspaceId, contactId }: Of) =>
  async (names: readonly string[]): Promise<ReadonlyMap<string, EventFacts>> => {
    const { rows } = await stores.pool.query<Counted>(
      'select event, count, last_at from read.activity_facts where workspace_id = $1 and contact_id = $2 and event = any ($3::text[])',
      [workspaceId, contactId, names],
    )
    return new Map(rows.map(({ event, count, last_at }) => [event, { count: Number(count), lastAt: last_at.getTime() }]))
  }

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const linesOf = ({ flow, steps, ends }: TriedFlow): string =>
  [flow, ...steps.map(({ at, step, says }) => `  ${at}  ${step}  ${says}`), `  ends: ${ends}`].join('\n')

/** `tidings flow try`: walks the flows of a file without sending. Writes nothing. */
export async function tryFile({ file, contact, json }: Readonly<{ file: string; contact: string; json: boolean }>): Promise<void> {
  const wanted = parseWorkspaceFile(await readText(file))
  await withOperator(json, async (operator) => {
    const { id: workspaceId } = await existingWorkspace(operator, wanted.workspace.slug)
    const of = { workspaceId, contactId: contact.toLowerCase() }
    const known = UUID.test(of.contactId) ? await readContact(operator.stores.log, of) : null
    if (known === null) throw new OperationFailed(`Workspace ${wanted.workspace.slug} has no contact ${contact}.`)
    const tried = await tryFlows({
      to: operator.provisioner,
      file: wanted,
      contact: known,
      countEvents: countEvents(operator, of),
      now: Date.now(),
    })
    return listAnswer(tried, linesOf, 'The file has no flows.')
  })
}
