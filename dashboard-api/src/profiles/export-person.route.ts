import { addAbortSignal, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { htmlSections, jsonSections, personSections, type Section, sectionTexts, waitUntilVisible } from '@tidings/administration'
import { ContactParams, PersonExportQuery } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import { type App, fairShare, hasLeft } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { asDownload } from '../download.ts'
import { onceBuilt } from '../not-built.ts'
import { knownContact } from './known-contact.ts'

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

/** An export that is open for longer ends, as where its caller does not read on. */
const MOST_MS = 600_000

type Deps = Pick<DashboardDependencies, 'db' | 'log' | 'contents' | 'readSide' | 'poolSize'>

/** One of a workspace at a time, in a quarter of the connections. It holds one record in memory, and ends with who asked. */
export function exportPerson(app: App, deps: Deps): void {
  const share = fairShare({ each: 1, all: Math.max(1, Math.floor(deps.poolSize / 4)) })
  app.get('/profiles/:id/export', { schema, config }, async ({ tenant: { workspaceId }, params, query, raw }, reply) => {
    const contactId = params.id
    const { format, type } = FORMATS[query.format ?? 'json']
    const position = await knownContact(deps, { workspaceId, contactId })
    await waitUntilVisible(deps, reply, { position, projections: ['profiles', 'contact_timeline', 'messages'] })
    return share({ workspaceId, isGone: () => hasLeft({ raw }) }, async () => {
      const sections = await onceBuilt(personSections(deps, { workspaceId, contactId }))
      if (sections === null) throw new Refused('contact_not_found')
      const body = addAbortSignal(AbortSignal.timeout(MOST_MS), Readable.from(textOf(sections, format)))
      asDownload(reply, { name: `contact-${contactId}.${query.format ?? 'json'}`, type }).send(body)
      // The place in the queue is free when all is sent, or its caller reads no more.
      await finished(body).catch(() => undefined)
      return reply
    })
  })
}

async function* textOf(sections: readonly Section[], format: typeof jsonSections): AsyncGenerator<string> {
  for await (const [text = ''] of sectionTexts(sections, [format])) yield text
}
