import { untilErased } from '@tidings/administration'
import { ContactParams, ProofQuery } from '@tidings/contracts'
import { contactStream, Refused } from '@tidings/domain'
import { parseMoment } from '@tidings/evidence'
import { type App, fairShare, hasLeft, invalidRequest, unavailable } from '@tidings/http'
import { asksForErasure } from '@tidings/log-views'
import { zipSync } from 'fflate'
import type { DashboardDependencies } from '../dependencies.ts'
import { asDownload } from '../download.ts'
import { sendOfPerson } from './send-of-person.ts'

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

/** One is made at a time: it is signed and verified before it is sent. One of a workspace is sent at a time. */
export function provePerson(app: App, deps: Deps): void {
  const sending = fairShare({ each: 1, all: Number.POSITIVE_INFINITY })
  const making = fairShare({ each: 1, all: 1 })
  app.get('/profiles/:id/proof', { schema, config }, async ({ tenant: { workspaceId, slug }, params, query, raw }, reply) => {
    const at = query.at === undefined ? null : parseMoment(query.at)
    if (query.at !== undefined && (at === null || at > deps.now()))
      throw invalidRequest('at must be a moment of the past, as an ISO 8601 date string')
    const contactId = params.id
    const share = { workspaceId, isGone: () => hasLeft({ raw }) }
    return sending(share, async () => {
      const [last] = await deps.log.readStream(workspaceId, contactStream(workspaceId, contactId), { direction: 'backwards', limit: 1 })
      if (last === undefined) throw new Refused('contact_not_found')
      if (last.revision >= MOST_EVENTS) throw new Refused('proof_too_large')
      const known = asksForErasure(last) ? erasedBefore() : untilErased(deps.log, { workspaceId, contactId })
      try {
        const files = await making(share, () => deps.proveConsents({ workspace: { id: workspaceId, slug }, contactId, at }))
        // It has the person in clear: made again, it has not.
        if (known.signal.aborted) throw unavailable()
        const folder = `proof-${contactId}`
        const archive = zipSync(Object.fromEntries(files.map(({ name, bytes }) => [`${folder}/${name}`, bytes])))
        asDownload(reply, { name: `${folder}.zip`, type: 'application/zip' }).header('Content-Length', archive.length)
        return await sendOfPerson(reply, piecesOf(Buffer.from(archive)), known.signal)
      } finally {
        await known.stop()
      }
    })
  })
}

/** The proof has no word of the person then: nothing ends it. */
const erasedBefore = () => ({ signal: new AbortController().signal, stop: async () => undefined })

const PIECE = 65_536

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE) yield bytes.subarray(from, from + PIECE)
}
