import { Refused } from '@tidings/domain'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { invalidRequest } from './errors/problems.ts'

/** A SHA-256 in quotes: as records have it. */
const ETAG = /^"([0-9a-f]{64})"$/

/** The etag of the record as the caller read it. Throws where there is none, or another text (`*`, several). */
export function expectedEtag({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const given = headers['if-match']
  if (given === undefined) throw new Refused('if_match_required')
  const etag = ETAG.exec(given)?.[1]
  if (etag === undefined) throw invalidRequest('If-Match must be the etag of the record in double quotes')
  return etag
}

/** Asks for `If-Match` where a route edits, after the shape of the body and before an `Idempotency-Key` is taken: the answer is not kept under it. */
export const ifMatch = fp(
  async (app) => {
    app.addHook('onRoute', (route) => {
      if (route.config?.edits !== true) return
      route.preHandler = [
        (request, _reply, done) => {
          expectedEtag(request)
          done()
        },
        ...[route.preHandler ?? []].flat(),
      ]
    })
  },
  { name: 'if-match', dependencies: ['authentication', 'validation'] },
)
