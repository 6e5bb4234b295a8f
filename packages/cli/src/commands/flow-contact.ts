import { type ContactRun, runEvents, runStep, runsIn } from '@tidings/administration'
import type { ContactId, FlowId, WorkspaceId } from '@tidings/domain'
import type { Operator } from '../operator/with-operator.ts'
import { type Answer, listAnswer } from '../terminal/answer.ts'

type FlowContact = Readonly<{ workspaceId: WorkspaceId; flowId: FlowId; contactId: ContactId }>

/** The runs of one contact, oldest first, as the log has them. */
export async function contactRuns({ stores }: Operator, of: FlowContact): Promise<Answer> {
  const { events } = await runEvents(stores.log, of)
  return listAnswer(runsIn(events, runStep), linesOf, `The contact ${of.contactId} never was inside.`)
}

const linesOf = ({ runId, version, steps }: ContactRun): string =>
  [`run ${runId} of version ${version}`, ...steps.map(({ at, says, causedBy }) => `  ${at}  ${says}  (by ${causedBy ?? 'unknown'})`)].join(
    '\n',
  )
