import { OperationFailed } from '@tidings/config'
import { asMessageId, isUuid } from '@tidings/domain'
import { explainMessage, type MessageExplained } from '@tidings/evidence'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { withOperator } from '../operator/with-operator.ts'
import type { Answer } from '../terminal/answer.ts'
import { factLines } from '../terminal/fact-lines.ts'

type MessageWhyOptions = Readonly<{ workspace: string; id: string; json: boolean }>

/** `tidings message why` (D5). */
export function why({ workspace, id, json }: MessageWhyOptions): Promise<void> {
  return withOperator(json, async ({ stores, ...operator }): Promise<Answer> => {
    const { id: workspaceId } = await existingWorkspace({ stores, ...operator }, workspace)
    const messageId = asMessageId(id.toLowerCase())
    const explained = isUuid(messageId) ? await explainMessage(stores, { workspaceId, messageId }) : null
    if (explained === null) throw new OperationFailed(`Workspace ${workspace} has no message ${id}.`)
    return { json: explained, lines: linesOf(explained) }
  })
}

const linesOf = ({ message, facts }: MessageExplained): readonly string[] => {
  const { id, channel, to, contactId, status, failureReason, erased, waiting } = message
  const recipient = erased ? 'a recipient who is erased' : (to ?? `contact ${contactId}`)
  return [
    `The ${channel} message ${id} to ${recipient} is ${status}${failureReason === null ? '' : ` (${failureReason})`}.`,
    ...(waiting === null ? [] : [saysOfWaiting(waiting)]),
    '',
    ...factLines(facts),
  ]
}

const saysOfWaiting = ({ attempts, dueAt, reason, deadLetter }: NonNullable<MessageExplained['message']['waiting']>): string => {
  if (deadLetter !== null) return `It was given up after ${attempts} attempts: see \`tidings dlq show ${deadLetter}\`.`
  const next = dueAt === null ? 'it waits behind another message of its recipient' : `the next is due at ${dueAt}`
  return `${attempts} attempts so far, ${next}${reason === null ? '' : `: ${reason}`}.`
}
