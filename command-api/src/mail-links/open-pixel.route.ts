import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { forStrangers, PRIVATE, tokenOf } from './for-strangers.ts'
import { isMachine } from './is-machine.ts'
import type { RecordEngagement } from './record-engagement.ts'

/** 43 bytes, one transparent point. */
const PIXEL = Buffer.from('R0lGODlhAQABAPAAAAAAAAAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

/** `GET /o.gif`: the same image for every caller and every token, so that nobody learns anything from it. A HEAD records nothing. */
export const openPixel = (app: App, { links, record }: Pick<Dependencies, 'links'> & Readonly<{ record: RecordEngagement }>): void => {
  app.get('/o.gif', forStrangers, async (request, reply) => {
    const asked = links.open('open', tokenOf(request))
    if (asked !== null && request.method === 'GET') await record(request, asked, { type: 'RecordOpen', machine: isMachine(request) })
    return reply.headers(PRIVATE).type('image/gif').send(PIXEL)
  })
}
