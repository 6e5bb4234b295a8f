import { type App, invalidSignature } from '@tidings/http'
import { MAILGUN_PATH } from '@tidings/providers'
import type { Dependencies } from '../dependencies.ts'
import { applyEmailEvents } from './apply-email-events.ts'

const schema = { operationId: 'providers.mailgunEvents', tags: ['providers'], hide: true }
const config = { access: 'open', raw: true, rawBody: true, throttle: false } as const

/** An event has some kilobytes. */
const MAX_BYTES = 64 * 1024

/**
 * Takes what Mailgun reports about a mail (O6), one event a request. Its signature stands in the body, so that no header tells a stranger's request: the body is
 * small, and is verified, once, before anything is looked up. What changes nothing is taken all the same, because Mailgun would post it again.
 */
export function mailgunEvents(app: App, deps: Pick<Dependencies, 'commands' | 'messages' | 'now' | 'mailgun'>): void {
  app.post(MAILGUN_PATH, { schema, config, bodyLimit: MAX_BYTES }, async ({ rawBody, id }) => {
    const posted = rawBody === null ? null : deps.mailgun.read(rawBody, Date.parse(deps.now()))
    if (posted === null) throw invalidSignature()
    return await applyEmailEvents(deps, posted.report === null ? [] : [posted.report], id)
  })
}
