import { type Recorded, type StreamReader, SubjectErased, uuidv5 } from '@tidings/codec'
import {
  type ActivityEvent,
  asMessageId,
  isReservedMergeKey,
  type Json,
  type MessageCommand,
  type MessageId,
  message,
  messageStream,
} from '@tidings/domain'
import { draftMessage } from '../marketing/draft-message.ts'
import { senderNameOf, templateNow } from '../marketing/template-now.ts'
import { flowActor } from './flow-actor.ts'
import { forgetMessage, rememberMessage } from './flow-messages.ts'
import { endRun, type FlowWork, timestamp } from './flow-work.ts'
import type { ReadRun } from './read-run.ts'
import { type DueStep, type Kind, queued, skip } from './step-moves.ts'

export type SendStep = DueStep<Kind<'send'>>

/** The same run and step always have the same message: however often a worker is killed here, one is sent. */
const messageIdOf = ({ ref, run, step }: SendStep): MessageId => asMessageId(uuidv5(`message:${run.runId}:${step}`, ref.workspaceId))

/** Accepts the message of the step as marketing; its own lane judges it and sends it (D12). */
export async function sendStep(work: FlowWork, due: SendStep): Promise<void> {
  const messageId = messageIdOf(due)
  const drafted = await draft(work, due, messageId)
  if (typeof drafted === 'string') {
    // A worker that died may have accepted it by what was there then: it is sent, and the run waits for it.
    if (await isAccepted(work, due, messageId)) return await queued(work, due, messageId)
    // Such a worker may also have noted the message.
    await forgetMessage(work.pool, messageId)
    const isOver = drafted === 'contact_gone' || drafted === 'template_gone'
    return isOver ? await endRun(work, due, drafted) : await skip(work, due, drafted)
  }
  await rememberMessage(work.pool, messageId, due.ref)
  try {
    await accept(work, due, drafted)
  } catch (error) {
    if (!(error instanceof SubjectErased)) throw error
    await forgetMessage(work.pool, messageId)
    return await endRun(work, due, 'contact_gone')
  }
  await queued(work, due, messageId)
}

const isAccepted = async ({ commands }: FlowWork, { ref: { workspaceId } }: SendStep, messageId: MessageId): Promise<boolean> => {
  const { state } = await commands.load({ decider: message, stream: messageStream(workspaceId, messageId), workspaceId })
  return state.status !== 'none'
}

const draft = (work: FlowWork, due: SendStep, messageId: MessageId) => {
  const { workspaceId, contactId } = due.ref
  const { channel, templateId, from } = due.instruction
  const message = { workspaceId, contactId, messageId, templateId }
  return draftMessage(
    { ...work, contacts: work.log },
    channel === 'push'
      ? { ...message, channel }
      : { ...message, channel, from, senderName: () => senderNameOf(work.commands, workspaceId, from) },
    { template: () => templateNow(work.commands, workspaceId, templateId), properties: () => entryProperties(work.log, due) },
  )
}

const accept = async (work: FlowWork, due: SendStep, command: MessageCommand): Promise<void> => {
  const { ref, lastEventId: causationId, requestId } = due
  const { workspaceId, flowId } = ref
  const messageId = messageIdOf(due)
  await work.commands.execute({
    decider: message,
    stream: messageStream(workspaceId, messageId),
    command,
    context: { commandId: messageId, workspaceId, actor: flowActor(flowId), requestId, causationId, at: timestamp(work.now()) },
    isNew: true,
  })
}

/** The properties of the event that let the contact in, as flat merge tags, without those that name the person or serve compliance (G24). */
async function entryProperties(
  log: StreamReader,
  { ref: { workspaceId }, run: { cause } }: ReadRun,
): Promise<Readonly<Record<string, Json>>> {
  if (cause.type !== 'ActivityRecorded') return {}
  const events = await log.readStream<ActivityEvent>(workspaceId, cause.stream)
  const found: Recorded<ActivityEvent> | undefined = events.find(({ id }) => id === cause.eventId)
  if (found === undefined || found.erased) return {}
  return Object.fromEntries(Object.entries(found.data.properties).filter(([key]) => !isReservedMergeKey(key)))
}
