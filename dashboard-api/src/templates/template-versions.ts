import type { StreamReader } from '@tidings/codec'
import { type TemplateContent, type TemplateEvent, type TemplateId, templateStream, type WorkspaceId } from '@tidings/domain'

type VersionsRequest = Readonly<{ workspaceId: WorkspaceId; templateId: TemplateId; from: number; limit: number }>

export type TemplateVersion = Readonly<{
  version: number
  at: string
  actor: string
  what: 'created' | 'changed' | 'archived' | 'restored'
  restoredFrom: number | null
  /** Null where the version changed no text. */
  content: TemplateContent | null
}>

const WHAT = {
  TemplateCreated: 'created',
  TemplateContentChanged: 'changed',
  TemplateArchived: 'archived',
  TemplateRestored: 'restored',
} as const satisfies Record<TemplateEvent['type'], TemplateVersion['what']>

/** Versions of a template from the number `from` down: each event of its stream is one, and they count from 1. */
export async function templateVersions(
  log: StreamReader,
  { workspaceId, templateId, from, limit }: VersionsRequest,
): Promise<readonly TemplateVersion[]> {
  const events = await log.readStream<TemplateEvent>(workspaceId, templateStream(workspaceId, templateId), {
    direction: 'backwards',
    from: from - 1,
    limit,
  })
  return events.map(({ revision, meta, ...event }) => ({
    version: revision + 1,
    at: meta.at,
    actor: meta.actor,
    what: WHAT[event.type],
    restoredFrom: (event.type === 'TemplateContentChanged' ? event.data.restoredFrom : undefined) ?? null,
    content: contentIn(event),
  }))
}

const contentIn = (event: TemplateEvent): TemplateContent | null => {
  if (event.type !== 'TemplateCreated' && event.type !== 'TemplateContentChanged') return null
  const { subject, html, text, body, push, fromName } = event.data
  return { subject, html, text, body, push, fromName }
}

/** Events that are read together: each may hold megabytes. */
const PAGE = 4

/** The version and the texts that the template had since; null where there is no such version. */
export async function templateVersion(
  log: StreamReader,
  { version, ...of }: Readonly<{ workspaceId: WorkspaceId; templateId: TemplateId; version: number }>,
): Promise<(TemplateVersion & Readonly<{ content: TemplateContent }>) | null> {
  let wanted: TemplateVersion | undefined
  for (let from = version; from > 0; from -= PAGE) {
    const page = await templateVersions(log, { ...of, from, limit: PAGE })
    wanted ??= page[0]
    // Read from behind its end, a stream begins with its last event.
    if (wanted?.version !== version) return null
    const { content } = page.find((one) => one.content !== null) ?? {}
    if (content) return { ...wanted, content }
  }
  return null
}
