import { type App, invalidSignature } from '@tidings/http'
import { MAILGUN_PATH } from '@tidings/providers'
import type { FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { applyEmailEvents } from './apply-email-events.ts'

const schema = { operationId: 'providers.mailgunEvents', tags: ['providers'], hide: true }

/** An event has some kilobytes. */
const MAX_BYTES = 64 * 1024

/**
 * Takes what Mailgun reports about a mail (O6), one event a request. Its signature stands in the body, so that no header tells a stranger's request: the body is
 * small, and is checked before anything is looked up. What changes nothing is taken all the same, because Mailgun would post it again.
 */
export function mailgunEvents(app: App, deps: Pick<Dependencies, 'commands' | 'messages' | 'now' | 'mailgun'>): void {
  const read = (bytes: Buffer) => deps.mailgun.read(bytes, Date.parse(deps.now()))
  const checkBody = (_: FastifyRequest, bytes: Buffer) => (read(bytes) === null ? invalidSignature() : null)
  const config = { access: 'open', raw: true, rawBody: true, throttle: false, checkBody } as const
  const preValidation = async ({ rawBody }: FastifyRequest): Promise<void> => {
    if (rawBody === null) throw invalidSignature()
  }
  app.post(MAILGUN_PATH, { schema, config, bodyLimit: MAX_BYTES, preValidation }, async (request) => {
    const posted = request.rawBody === null ? null : read(request.rawBody)
    if (posted === null) throw invalidSignature()
    return await applyEmailEvents(deps, posted.report === null ? [] : [posted.report], request.id)
  })
}
