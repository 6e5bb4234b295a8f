import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { answerPage, askPage, unknownPage } from './pages.ts'
import { publicRoute, tokenOf } from './public-route.ts'

/** `GET /u`: asks, and changes nothing: scanners follow every link of a mail. */
export function unsubscribePage(app: App, { links }: Pick<Dependencies, 'links'>): void {
  app.get('/u', publicRoute, async (request, reply) => {
    const asked = links.open('unsubscribe', tokenOf(request))
    return asked === null ? answerPage(reply, 404, unknownPage) : answerPage(reply, 200, askPage)
  })
}
