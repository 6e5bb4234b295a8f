import { type TemplateEvent, templateStream } from '@tidings/domain'
import { type Fact, factOf } from '../fact.ts'
import { readAll, type Sources } from '../sources.ts'
import { eventsUntil } from './facts-at-moments.ts'
import type { KnownMessage } from './known-message.ts'

/** The template as it was when the message was accepted, by the event that gave it this content; its versions count the contents it had. */
export async function templateFacts(sources: Sources, { workspaceId, accepted }: KnownMessage): Promise<readonly Fact[]> {
  const templateId = 'templateId' in accepted.data ? accepted.data.templateId : null
  if (templateId === null) return []
  const events = await readAll<TemplateEvent>(sources, workspaceId, templateStream(workspaceId, templateId))
  const [created] = events
  const versions = eventsUntil(events, accepted.position).filter(
    ({ type }) => type === 'TemplateCreated' || type === 'TemplateContentChanged',
  )
  const last = versions.at(-1)
  if (last === undefined || created?.type !== 'TemplateCreated') return []
  return [factOf(last, `at the accept: template "${created.data.name}" ${templateId}, version ${versions.length}`)]
}
