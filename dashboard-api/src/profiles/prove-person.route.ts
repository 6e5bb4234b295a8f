import { ContactParams, ProofQuery } from '@tidings/contracts'
import { contactStream, Refused } from '@tidings/domain'
import { parseMoment } from '@tidings/evidence'
import { type App, fairShare, hasLeft, invalidRequest } from '@tidings/http'
import { zipSync } from 'fflate'
import type { DashboardDependencies } from '../dependencies.ts'
import { asDownload } from '../download.ts'

const schema = {
  operationId: 'profiles.prove',
  summary: 'The proof of what a person consented to, with its verifiers',
  description:
    'A zip of the folder that `tidings consent export` writes. Of an erased person it proves what is left: changes and times, without address and user agent.',
  tags: ['profiles'],
  params: ContactParams,
  querystring: ProofQuery,
}

const config = {
  access: 'session',
  dashboard: { role: 'admin', notes: 'proof' },
  raw: true,
  refusals: ['contact_not_found', 'proof_too_large'],
} as const

/** The whole proof is in memory while it is made; more events than these are for the command line. */
const MOST_EVENTS = 5_000

type Deps = Pick<DashboardDependencies, 'log' | 'proveConsents' | 'now'>

/** One at a time: it is signed and verified before it is sent. */
export function provePerson(app: App, deps: Deps): void {
  const share = fairShare({ each: 1, all: 1 })
  app.get('/profiles/:id/proof', { schema, config }, async ({ tenant: { workspaceId, slug }, params, query, raw }, reply) => {
    const at = query.at === undefined ? null : parseMoment(query.at)
    if (query.at !== undefined && (at === null || at > deps.now()))
      throw invalidRequest('at must be a moment of the past, as an ISO 8601 date string')
    const contactId = params.id
    const [last] = await deps.log.readStream(workspaceId, contactStream(workspaceId, contactId), { direction: 'backwards', limit: 1 })
    if (last === undefined) throw new Refused('contact_not_found')
    if (last.revision >= MOST_EVENTS) throw new Refused('proof_too_large')
    return share({ workspaceId, isGone: () => hasLeft({ raw }) }, async () => {
      const files = await deps.proveConsents({ workspace: { id: workspaceId, slug }, contactId, at })
      const folder = `proof-${contactId}`
      const archive = zipSync(Object.fromEntries(files.map(({ name, bytes }) => [`${folder}/${name}`, bytes])))
      return asDownload(reply, { name: `${folder}.zip`, type: 'application/zip' }).send(Buffer.from(archive))
    })
  })
}
