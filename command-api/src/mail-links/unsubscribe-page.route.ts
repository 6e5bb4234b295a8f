import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { forStrangers, PRIVATE, tokenOf } from './for-strangers.ts'
import { askPage, PAGE_HEADERS, unknownPage } from './pages.ts'

/** `GET /u`: asks, and changes nothing: scanners follow every link of a mail. */
export const unsubscribePage = (app: App, { links }: Pick<Dependencies, 'links'>): void => {
  app.get('/u', forStrangers, async (request, reply) => {
    const asked = links.open('unsubscribe', tokenOf(request))
    return reply
      .code(asked === null ? 404 : 200)
      .headers({ ...PRIVATE, ...PAGE_HEADERS })
      .send(asked === null ? unknownPage : askPage)
  })
}
