import type { App } from '@tidings/http'
import { LINK_PATHS, type Links } from '@tidings/mail-content'
import { isMachine } from './is-machine.ts'
import { PRIVATE_HEADERS, publicRoute, tokenOf } from './public-route.ts'
import type { RecordEngagement } from './record-engagement.ts'

const PRINTABLE_ASCII = /^[\x21-\x7e]+$/

/** An address as a header can carry it: what was written, else what a browser makes of it. */
const location = (url: string): string => (PRINTABLE_ASCII.test(url) ? url : new URL(url).href)

/** `GET /c`: leads only to the address inside the token, which is one of a mail of ours. A HEAD records nothing. */
export function followLink(app: App, { links, record }: Readonly<{ links: Links; record: RecordEngagement }>): void {
  app.get(LINK_PATHS.click, publicRoute, async (request, reply) => {
    const asked = links.open('click', tokenOf(request))
    if (asked === null) return reply.code(404).headers(PRIVATE_HEADERS).type('text/plain; charset=utf-8').send('This link leads nowhere.')
    const { link, url } = asked
    if (request.method === 'GET') await record(request, asked, { type: 'RecordClick', machine: isMachine(request), link, url })
    return reply
      .code(302)
      .headers({ ...PRIVATE_HEADERS, location: location(url) })
      .send()
  })
}
