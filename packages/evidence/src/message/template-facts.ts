import type { Recorded } from '@tidings/codec'
import { type TemplateEvent, templateStream } from '@tidings/domain'
import { textsDigest } from '@tidings/mail-content'
import { type Fact, factOf } from '../fact.ts'
import { readAll, type Sources } from '../sources.ts'
import { eventsUntil } from './facts-at-moments.ts'
import type { KnownMessage } from './known-message.ts'

/**
 * The template as the message has it, by the event that gave it this content; its versions count the contents it had. A mail names the one that it was made
 * of, which is older where the campaign fixed it; of other messages it is that of their acceptance. Where the log does not have
 * the version, the template is all that is known.
 */
export async function templateFacts(sources: Sources, { workspaceId, accepted }: KnownMessage): Promise<readonly Fact[]> {
  const templateId = 'templateId' in accepted.data ? accepted.data.templateId : null
  if (templateId === null) return []
  const events = await readAll<TemplateEvent>(sources, workspaceId, templateStream(workspaceId, templateId))
  const [created] = events
  const contents = eventsUntil(events, accepted.position).filter(isContent)
  const digest = 'templateDigest' in accepted.data ? accepted.data.templateDigest : undefined
  const at = digest === undefined ? contents.length - 1 : contents.findLastIndex(({ data }) => textsDigest(data) === digest)
  if (created?.type !== 'TemplateCreated') return []
  const named = `at the accept: template "${created.data.name}" ${templateId}`
  const version = contents[at]
  if (version !== undefined) return [factOf(version, `${named}, version ${at + 1}`)]
  return digest === undefined ? [] : [factOf(created, `${named}, a version that the log does not have`)]
}

type ContentEvent = Extract<TemplateEvent, Readonly<{ data: Readonly<{ html: string | null }> }>>

const isContent = (event: Recorded<TemplateEvent>): event is Recorded<ContentEvent> =>
  event.type === 'TemplateCreated' || event.type === 'TemplateContentChanged'
