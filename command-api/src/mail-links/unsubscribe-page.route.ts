import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { forStrangers, tokenOf } from './for-strangers.ts'
import { answerPage, askPage, unknownPage } from './pages.ts'

/** `GET /u`: asks, and changes nothing: scanners follow every link of a mail. */
export const unsubscribePage = (app: App, { links }: Pick<Dependencies, 'links'>): void => {
  app.get('/u', forStrangers, async (request, reply) => {
    const asked = links.open('unsubscribe', tokenOf(request))
    return asked === null ? answerPage(reply, 404, unknownPage) : answerPage(reply, 200, askPage)
  })
}
