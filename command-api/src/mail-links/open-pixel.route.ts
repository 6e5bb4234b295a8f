import type { App } from '@tidings/http'
import { LINK_PATHS, type Links } from '@tidings/mail-content'
import { isMachine } from './is-machine.ts'
import { PRIVATE_HEADERS, publicRoute, tokenOf } from './public-route.ts'
import type { RecordEngagement } from './record-engagement.ts'

/** One transparent pixel, 43 bytes. */
const PIXEL = Buffer.from('R0lGODlhAQABAPAAAAAAAAAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

/** `GET /o.gif`: the same image for every caller and every token, so that a caller cannot test a token. A HEAD records nothing. */
export function openPixel(app: App, { links, record }: Readonly<{ links: Links; record: RecordEngagement }>): void {
  app.get(LINK_PATHS.open, publicRoute, async (request, reply) => {
    const asked = links.open('open', tokenOf(request))
    if (asked !== null && request.method === 'GET') await record(request, asked, { type: 'RecordOpen', machine: isMachine(request) })
    return reply.headers(PRIVATE_HEADERS).type('image/gif').send(PIXEL)
  })
}
