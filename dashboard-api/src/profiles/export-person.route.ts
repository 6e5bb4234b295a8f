import { htmlSections, jsonSections, personSections, sectionTexts, untilErased } from '@tidings/administration'
import { ContactParams, PersonExportQuery } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import { type App, fairShare, hasLeft } from '@tidings/http'
import { requireShown } from '@tidings/projections'
import type { DashboardDependencies } from '../dependencies.ts'
import { asDownload } from '../download.ts'
import { onceBuilt } from '../not-built.ts'
import { knownContact } from './known-contact.ts'
import { sendOfPerson } from './send-of-person.ts'

const schema = {
  operationId: 'profiles.export',
  summary: 'Everything about a person, as a file (GDPR, Article 15)',
  description:
    '`contact.json` or `contact.html`, as `tidings contact export` writes them, while they are made; one that breaks off is not whole.',
  tags: ['profiles'],
  params: ContactParams,
  querystring: PersonExportQuery,
}

const config = { access: 'session', dashboard: { role: 'admin', notes: 'export' }, raw: true, refusals: ['contact_not_found'] } as const

const FORMATS = {
  json: { format: jsonSections, type: 'application/json; charset=utf-8' },
  html: { format: htmlSections, type: 'text/html; charset=utf-8' },
}

type Deps = Pick<DashboardDependencies, 'dbOfLong' | 'log' | 'contents' | 'readSide' | 'poolSize'>

const READ = ['profiles', 'lists', 'contact_timeline', 'messages']

/** An import puts the read side behind by more than one wait of 2 s. */
const WAITS = 5

/** Everything is what the log has now: an export that does not have it is refused, and not made without it. */
const requireAll = async ({ log, readSide }: Pick<Deps, 'log' | 'readSide'>): Promise<void> => {
  const head = await log.head()
  for (let waits = 1; waits < WAITS; waits++) if ((await readSide.wait(head, READ)) === 'visible') return
  await requireShown(readSide, head, READ)
}

/** One of a workspace at a time, until it is sent; in a quarter of the connections, each time it reads on. It holds one record in memory. */
export function exportPerson(app: App, deps: Deps): void {
  const sending = fairShare({ each: 1, all: Number.POSITIVE_INFINITY })
  const reading = fairShare({ each: 1, all: Math.max(1, Math.floor(deps.poolSize / 4)) })
  app.get('/profiles/:id/export', { schema, config }, async ({ tenant: { workspaceId }, params, query, raw }, reply) => {
    const of = { workspaceId, contactId: params.id }
    const share = { workspaceId, isGone: () => hasLeft({ raw }) }
    const { format, type } = FORMATS[query.format ?? 'json']
    await knownContact(deps, of)
    await requireAll(deps)
    return sending(share, async () => {
      const known = untilErased(deps.log, of)
      try {
        const sections = await reading(share, () => onceBuilt(personSections({ ...deps, db: deps.dbOfLong(workspaceId) }, of)))
        if (sections === null) throw new Refused('contact_not_found')
        const texts = sectionTexts(sections, [format])
        asDownload(reply, { name: `contact-${of.contactId}.${query.format ?? 'json'}`, type })
        return await sendOfPerson(
          reply,
          eachOf(texts, (next) => reading(share, next)),
          known.signal,
        )
      } finally {
        await known.stop()
      }
    })
  })
}

/** Waits for its place each time, so that a caller who reads slowly keeps none from others. */
async function* eachOf(
  texts: AsyncGenerator<readonly string[]>,
  whenFree: <Result>(next: () => Promise<Result>) => Promise<Result>,
): AsyncGenerator<string> {
  for (;;) {
    const { done, value } = await whenFree(() => texts.next())
    if (done) return
    yield value[0] ?? ''
  }
}
