import { untilErased } from '@tidings/administration'
import { ContactParams, ProofQuery } from '@tidings/contracts'
import { contactStream, Refused } from '@tidings/domain'
import { parseMoment } from '@tidings/evidence'
import { type App, fairShare, hasLeft, invalidRequest } from '@tidings/http'
import { asksForErasure } from '@tidings/log-views'
import type { DashboardDependencies } from '../dependencies.ts'
import { MOST_EVENTS } from '../proofs/bounds.ts'
import { sendProof } from '../proofs/send-proof.ts'

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
        const wanted = { workspace: { id: workspaceId, slug }, contactId, at, maxEvents: MOST_EVENTS }
        const files = await making(share, () => deps.proveConsents(wanted))
        return await sendProof(reply, { files, folder: `proof-${contactId}`, known: known.signal })
      } finally {
        await known.stop()
      }
    })
  })
}

/** The proof has no word of the person then: nothing ends it. */
const erasedBefore = () => ({ signal: new AbortController().signal, stop: async () => undefined })
