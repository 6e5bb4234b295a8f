import type { EventLog, Recorded } from '@tidings/codec'
import {
  type CampaignEvent,
  type TemplateContent,
  type TemplateEvent,
  type TemplateId,
  template,
  templateStream,
  type WorkspaceId,
} from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'

/** The position at which the texts of a campaign were fixed: its start, or the last resume that chose newer ones; null before the start. */
export function textsFixedAt(events: readonly Recorded<CampaignEvent>[]): Position | null {
  return events.findLast(fixesTexts)?.position ?? null
}

const fixesTexts = ({ type, data }: Recorded<CampaignEvent>): boolean =>
  type === 'CampaignStarted' || (type === 'CampaignResumed' && data.texts === 'newest')

type FixedTemplate = Readonly<{ workspaceId: WorkspaceId; templateId: TemplateId; fixedAt: Position | null }>

/** The content that a template had at a place in the log, or has now; null where it is gone by now. */
export async function fixedTemplate(
  log: Pick<EventLog, 'readStream'>,
  { workspaceId, templateId, fixedAt }: FixedTemplate,
): Promise<TemplateContent | null> {
  const events = await log.readStream<TemplateEvent>(workspaceId, templateStream(workspaceId, templateId))
  const stateAfter = (some: readonly TemplateEvent[]) => some.reduce(template.evolve, template.initialState)
  const now = stateAfter(events)
  if (!now.exists || now.archived) return null
  if (fixedAt === null) return now.content
  const fixed = stateAfter(events.filter(({ position }) => comparePositions(position, fixedAt) <= 0))
  return fixed.exists ? fixed.content : null
}
