import { isMachineAgent } from '@tidings/mail-content'
import type { FastifyRequest } from 'fastify'

/** Headers of browsers that load a page in advance. */
const PREFETCH_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']

/** True for a caller that shows that it is a program (M6). */
export function isMachine({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return (
    isMachineAgent(headers['user-agent']) ||
    PREFETCH_HEADERS.some((name) => /prefetch|preview|prerender/i.test(String(headers[name] ?? '')))
  )
}
