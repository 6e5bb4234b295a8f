import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { confirm, showConfirmation } from './confirm.route.ts'
import { embedScript } from './embed-script.route.ts'

/** The files that browsers load of embedded forms (N10): public and not throttled. Register it at the root. */
export function formPages(deps: Dependencies) {
  return async (app: App): Promise<void> => {
    app.addContentTypeParser('application/x-www-form-urlencoded', (request, payload, done) =>
      app.readBody(request, payload, (error, bytes) => done(error, bytes.toString())),
    )
    embedScript(app)
    showConfirmation(app, deps)
    confirm(app, deps)
  }
}
