import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { twilioInbound } from './twilio-inbound.route.ts'
import { twilioStatus } from './twilio-status.route.ts'

/** The routes to which Twilio posts forms; a plugin of its own, because no other route of the API takes forms. */
export function twilioRoutes(app: App, deps: Dependencies): void {
  app.register(async (forms) => {
    forms.addContentTypeParser('application/x-www-form-urlencoded', (request, payload, done) =>
      forms.readBody(request, payload, (error, bytes) => done(error, bytes.toString())),
    )
    twilioStatus(forms, deps)
    twilioInbound(forms, deps)
  })
}
