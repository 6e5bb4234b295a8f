import { isMachineAgent } from '@tidings/tracking'
import type { FastifyRequest } from 'fastify'

/** What browsers say when they load a page before anybody asked for it. */
const AHEAD_OF_TIME = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']

/** Whether the caller gives itself away as a program that looks before, or instead of, the recipient (M6). */
export const isMachine = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  isMachineAgent(headers['user-agent']) || AHEAD_OF_TIME.some((name) => /prefetch|preview|prerender/i.test(String(headers[name] ?? '')))
