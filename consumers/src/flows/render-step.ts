import type { Recorded } from '@tidings/codec'
import {
  type ActivityEvent,
  isReservedMergeKey,
  type Json,
  type MergeLinks,
  type MergeValues,
  mergeValues,
  Refused,
  type TemplateContent,
  template,
  templateStream,
} from '@tidings/domain'
import type { KnownContact } from '@tidings/flows'
import type { FlowWork } from './flow-work.ts'
import type { ReadRun } from './read-run.ts'

/** How a channel renders. `links`: those that its templates may use; `render` throws `Refused` where nothing can be made of one. */
export type StepRendering<Rendered> = Readonly<{
  links: MergeLinks | null
  render: (content: TemplateContent, values: MergeValues) => Rendered
}>

type Rendering<Rendered> = StepRendering<Rendered> & Readonly<{ contact: KnownContact; templateId: string }>

/**
 * Renders the template as it is now, for the contact as it is now, with the properties of the event that let it in. Answers why not, where the
 * template is gone or nothing can be made of it.
 */
export async function renderStep<Rendered>(
  work: FlowWork,
  { place: { workspaceId }, run }: ReadRun,
  { contact, templateId, links, render }: Rendering<Rendered>,
): Promise<Readonly<{ content: Rendered }> | 'template_gone' | 'template_render_failed'> {
  const { state: known } = await work.commands.load({ decider: template, stream: templateStream(workspaceId, templateId), workspaceId })
  if (!known.exists || known.archived) return 'template_gone'
  const { email, phone, details } = contact.state
  const { firstName, lastName, customProperties } = details
  const properties = await propertiesOf(work, workspaceId, run.cause)
  const values = mergeValues({ firstName, lastName, email, phone, customProperties }, properties, links)
  try {
    return { content: render(known.content, values) }
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
