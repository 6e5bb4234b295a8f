import type { Recorded } from '@tidings/codec'
import {
  type ActivityEvent,
  type EmailContent,
  isReservedMergeKey,
  type Json,
  mergeValues,
  Refused,
  renderEmail,
  singleLine,
  template,
  templateStream,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import type { KnownContact } from '@tidings/flows'
import type { FlowWork } from './flow-work.ts'
import type { ReadRun } from './read-run.ts'

export type RenderedEmail = Readonly<{ content: EmailContent; fromName: string | null }>
/** The message that is rendered, from which address and template. */
export type Rendering = Readonly<{ messageId: string; templateId: string; from: string }>

/**
 * Renders the template as it is now, for the contact as it is now, with the properties of the event that let it in. Answers why not, where the
 * template is gone or nothing can be made of it.
 */
export async function renderStep(
  work: FlowWork,
  { place, run }: ReadRun,
  { contact, rendering }: Readonly<{ contact: KnownContact; rendering: Rendering }>,
): Promise<RenderedEmail | 'template_gone' | 'template_render_failed'> {
  const { workspaceId, contactId } = place
  const { messageId, templateId, from } = rendering
  const { state: known } = await work.commands.load({ decider: template, stream: templateStream(workspaceId, templateId), workspaceId })
  if (!known.exists || known.archived) return 'template_gone'
  const { email, phone, details } = contact.state
  const { firstName, lastName, customProperties } = details
  const unsubscribeUrl = (): string => work.links.unsubscribeUrl({ workspaceId, contactId, messageId })
  const properties = await propertiesOf(work, workspaceId, run.cause)
  const values = mergeValues({ firstName, lastName, email, phone, customProperties }, properties, { unsubscribeUrl })
  try {
    const { fromName, ...content } = renderEmail(known.content, values)
    return { content, fromName: fromName ?? (await nameOf(work, workspaceId, from)) }
  } catch (error) {
    if (error instanceof Refused) return 'template_render_failed'
    throw error
  }
}

type Properties = Readonly<Record<string, Json>>

/** As flat merge tags, without those that name the person or serve compliance (G24). */
const propertiesOf = async ({ log }: FlowWork, workspaceId: string, cause: ReadRun['run']['cause']): Promise<Properties> => {
  if (cause.type !== 'ActivityRecorded') return {}
  const events = await log.readStream<ActivityEvent>(workspaceId, cause.stream)
  const found: Recorded<ActivityEvent> | undefined = events.find(({ id }) => id === cause.eventId)
  if (found === undefined || found.erased) return {}
  return Object.fromEntries(Object.entries(found.data.properties).filter(([key]) => !isReservedMergeKey(key)))
}

/** The name that the workspace gave the address. */
const nameOf = async ({ commands }: FlowWork, workspaceId: string, from: string): Promise<string | null> => {
  const { state } = await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  const name = Object.values(state.senderAddresses).find(({ email }) => email === from)?.name
  return name ? singleLine(name).trim() || null : null
}
