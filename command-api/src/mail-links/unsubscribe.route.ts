import { waitUntilVisible } from '@tidings/administration'
import { type App, toProblem } from '@tidings/http'
import { LINK_PATHS } from '@tidings/mail-content'
import { type UnsubscribeSource, unsubscribeContact } from '@tidings/receipts'
import type { Dependencies } from '../dependencies.ts'
import { pageLanguage } from './page-language.ts'
import { answerPage } from './pages.ts'
import { publicRoute, tokenOf } from './public-route.ts'
import { recipientLocale } from './recipient-locale.ts'
import { unsubscribePages } from './unsubscribe-pages.ts'

const MAX_FORM_BYTES = 4_096

/** `POST /u`: unsubscribes from email, by one click of a mail program (RFC 8058) or by the button of the page. Anything else changes nothing. */
export function unsubscribe(app: App, deps: Dependencies): void {
  app.post(LINK_PATHS.unsubscribe, { ...publicRoute, bodyLimit: MAX_FORM_BYTES }, async (request, reply) => {
    const asked = deps.links.open('unsubscribe', tokenOf(request))
    if (asked === null) return answerPage(reply, 404, unsubscribePages('unknown', pageLanguage(request)))
    const source = parseUnsubscribeSource(request.body)
    if (source === null) return reply.code(400).type('text/plain; charset=utf-8').send('The body must be List-Unsubscribe=One-Click')
    const language = pageLanguage(request, await recipientLocale(deps, asked))
    try {
      const evidence = { source, ip: request.clientAddress, userAgent: request.headers['user-agent'] ?? null, requestId: request.id }
      const position = await unsubscribeContact(deps, asked, evidence)
      await waitUntilVisible(deps, reply, { position, projections: ['profiles'] })
    } catch (error) {
      if (toProblem(error).status !== 503) throw error
      request.log.warn({ err: error }, 'an unsubscribe failed; the page asks to try again')
      return answerPage(reply, 503, unsubscribePages('later', language))
    }
    return answerPage(reply, 200, unsubscribePages('done', language))
  })
}

const MULTIPART_ONE_CLICK = /name="?List-Unsubscribe"?[^\r\n]*(?:\r?\n[^\r\n]+)*\r?\n\r?\nOne-Click\s/i

/** RFC 8058 §3.1: the pair `List-Unsubscribe=One-Click`, in either form; the page says `confirm=yes`. */
function parseUnsubscribeSource(body: unknown): UnsubscribeSource | null {
  if (typeof body !== 'string') return null
  if (body.startsWith('--')) return MULTIPART_ONE_CLICK.test(body) ? 'one_click' : null
  const form = new URLSearchParams(body.trim())
  if (form.get('List-Unsubscribe') === 'One-Click') return 'one_click'
  return form.get('confirm') === 'yes' ? 'unsubscribe_link' : null
}
