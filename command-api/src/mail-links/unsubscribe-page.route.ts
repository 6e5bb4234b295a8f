import type { Profile } from '@tidings/contracts'
import type { ContactId, WorkspaceId } from '@tidings/domain'
import type { App } from '@tidings/http'
import { LINK_PATHS, type Links } from '@tidings/mail-content'
import { pageLanguage } from './page-language.ts'
import { answerPage } from './pages.ts'
import { publicRoute, tokenOf } from './public-route.ts'
import { recipientLocale } from './recipient-locale.ts'
import { unsubscribePages } from './unsubscribe-pages.ts'

/** `GET /u`: asks, and changes nothing: scanners follow every link of a mail. */
export function unsubscribePage(
  app: App,
  deps: Readonly<{ links: Links; findProfile: (workspaceId: WorkspaceId, contactId: ContactId) => Promise<Profile | null> }>,
): void {
  app.get(LINK_PATHS.unsubscribe, publicRoute, async (request, reply) => {
    const asked = deps.links.open('unsubscribe', tokenOf(request))
    if (asked === null) return answerPage(reply, 404, unsubscribePages('unknown', pageLanguage(request)))
    return answerPage(reply, 200, unsubscribePages('ask', pageLanguage(request, await recipientLocale(deps, asked))))
  })
}
