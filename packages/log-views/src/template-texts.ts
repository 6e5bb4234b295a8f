import { createSingleFlight } from '@tidings/async'
import type { StreamReader } from '@tidings/codec'
import { type TemplateEvent, type TemplateId, templateStream, type WorkspaceId } from '@tidings/domain'
import { type EmailTexts, textsDigest } from '@tidings/mail-content'
import { LRUCache } from 'lru-cache'

/** A version of a template, as `EmailAccepted` names it. */
type TemplateVersion = Readonly<{ workspaceId: WorkspaceId; templateId: TemplateId; templateDigest: string }>

/** The texts of versions of templates. A version never changes, and no version leaves the log. */
export type TemplateTexts = Readonly<{
  /** Without a promise when it is cached. Rejects if the log does not have the version. */
  find: (version: TemplateVersion) => EmailTexts | Promise<EmailTexts>
}>

/** A message names a version that is not in the log: it is not the log that the message was written to. */
class TemplateVersionMissing extends Error {
  override readonly name = 'TemplateVersionMissing'
}

/** Nearly always the mail is of the version that is the newest still: its event, and one that archived the template. */
const NEWEST = 2
/** Earlier events of a template that are read together: each may hold megabytes. */
const PAGE = 16

/** Reads the version from the events of the template, the last first, whatever became of the template since. */
async function readTemplateTexts(
  log: Pick<StreamReader, 'readStream'>,
  { workspaceId, templateId, templateDigest }: TemplateVersion,
): Promise<EmailTexts> {
  const options = { direction: 'backwards', pastLimits: true } as const
  for (let part: Readonly<{ from?: number; limit: number }> = { limit: NEWEST }; ; ) {
    const page = await log.readStream<TemplateEvent>(workspaceId, templateStream(workspaceId, templateId), { ...options, ...part })
    for (const event of page) if (hasTexts(event) && textsDigest(event.data) === templateDigest) return textsOf(event.data)
    const first = page.at(-1)
    if (first === undefined || first.revision === 0)
      throw new TemplateVersionMissing(`template ${templateId} has no version ${templateDigest}`)
    part = { from: first.revision - 1, limit: PAGE }
  }
}

type WithTexts = Extract<TemplateEvent, Readonly<{ data: EmailTexts }>>

const hasTexts = (event: TemplateEvent): event is WithTexts => event.type === 'TemplateCreated' || event.type === 'TemplateContentChanged'

const textsOf = ({ subject, html, text }: EmailTexts): EmailTexts => ({ subject, html, text })

const MAX = 10_000
const MAX_BYTES = 16 * 1024 * 1024

/** Reads each version once, while it is in use. */
export function createTemplateTexts(log: Pick<StreamReader, 'readStream'>): TemplateTexts {
  const known = new LRUCache<string, EmailTexts>({
    max: MAX,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ subject, html, text }, key) => 2 * [key, subject, html, text].reduce((sum, one) => sum + (one?.length ?? 0), 0),
  })
  const once = createSingleFlight<EmailTexts>()
  return {
    find: (version) => {
      const key = `${version.workspaceId}/${version.templateId}/${version.templateDigest}`
      return (
        known.get(key) ??
        once(key, async () => {
          const texts = await readTemplateTexts(log, version)
          known.set(key, texts)
          return texts
        })
      )
    },
  }
}
