import { Type } from '@sinclair/typebox'
import { untilAnyErased } from '@tidings/administration'
import { Refused } from '@tidings/domain'
import { ProofRefused } from '@tidings/evidence/proof'
import { type App, fairShare, hasLeft } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { isLogTooLong, LONGEST_LOG, MOST_EVENTS } from './bounds.ts'
import { sendProof } from './send-proof.ts'

const schema = {
  operationId: 'proofs.proveAll',
  summary: 'The proof of what all people of the workspace consented to, with its verifiers',
  description: 'A zip of the folder that `tidings consent export` writes without `--id`.',
  tags: ['proofs'],
  querystring: Type.Object({}),
}

const config = {
  access: 'session',
  dashboard: { role: 'admin', notes: 'proof' },
  raw: true,
  refusals: ['proof_too_large', 'nothing_to_prove'],
} as const

type Deps = Pick<DashboardDependencies, 'pool' | 'log' | 'proveConsents'>

/** One is made at a time, beside those of one person. One of a workspace is sent at a time. */
export function proveWorkspace(app: App, deps: Deps): void {
  const sending = fairShare({ each: 1, all: Number.POSITIVE_INFINITY })
  const making = fairShare({ each: 1, all: 1 })
  app.get('/proofs/all', { schema, config }, async ({ tenant: { workspaceId, slug }, raw }, reply) => {
    const share = { workspaceId, isGone: () => hasLeft({ raw }) }
    return sending(share, async () => {
      if (await isLogTooLong(deps.pool)) throw new Refused('proof_too_large')
      const known = untilAnyErased(deps.log, { workspaceId, from: await deps.log.head() })
      try {
        const wanted = { workspace: { id: workspaceId, slug }, contactId: null, at: null, maxEvents: MOST_EVENTS, maxLog: LONGEST_LOG }
        const files = await making(share, () => deps.proveConsents(wanted)).catch((error: unknown) => {
          throw error instanceof ProofRefused ? new Refused(CODES[error.reason]) : error
        })
        return await sendProof(reply, { files, folder: `proof-of-${slug}`, known: known.signal })
      } finally {
        await known.stop()
      }
    })
  })
}

const CODES = { nothing: 'nothing_to_prove', too_large: 'proof_too_large' } as const
