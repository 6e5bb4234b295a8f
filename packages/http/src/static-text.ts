import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** RFC 9110 §13.1.2: `*`, or a list compared weakly. */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))

/** Answers with a body that never changes while the process runs, or with 304 to who has it. It may be cached for an hour. */
export function staticText(body: Buffer, headers: Readonly<Record<string, string>>) {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  const all = { 'cache-control': 'public, max-age=3600', etag, 'x-content-type-options': 'nosniff', ...headers }
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    reply.headers(all)
    return isKnown(request.headers['if-none-match'], etag) ? reply.code(304).removeHeader('content-type').send() : reply.send(body)
  }
}
