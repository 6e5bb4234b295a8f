import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { followLink } from './follow-link.route.ts'
import { openPixel } from './open-pixel.route.ts'
import { createEngagementRecorder } from './record-engagement.ts'
import { unsubscribe } from './unsubscribe.route.ts'
import { unsubscribePage } from './unsubscribe-page.route.ts'
import { showVerification, verifySender } from './verify-sender.route.ts'

/** The routes behind the links of mails (N10): public, with a token as the only credential. Register it at the root. */
export function mailLinks(deps: Dependencies) {
  return async (app: App): Promise<void> => {
    // RFC 8058 §3.2: mail programs post either form.
    app.addContentTypeParser(['application/x-www-form-urlencoded', 'multipart/form-data'], (request, payload, done) =>
      app.readBody(request, payload, (error, bytes) => done(error, bytes.toString())),
    )
    const record = createEngagementRecorder(deps)
    openPixel(app, { links: deps.links, record })
    followLink(app, { links: deps.links, record })
    unsubscribePage(app, deps)
    unsubscribe(app, deps)
    showVerification(app, deps)
    verifySender(app, deps)
  }
}
