import { type App, toProblem } from '@tidings/http'
import { LINK_PATHS, type Links } from '@tidings/mail-content'
import type { Dependencies } from '../dependencies.ts'
import { pageLanguage } from '../mail-links/page-language.ts'
import { answerPage, pagesIn } from '../mail-links/pages.ts'
import { publicRoute, tokenOf } from '../mail-links/public-route.ts'
import { waitForAll } from '../wait-for-all.ts'
import { confirmSignUp } from './confirm-sign-up.ts'

const MAX_FORM_BYTES = 4_096

const STATUS = { confirmed: 200, expired: 410, unknown: 404 } as const
const PAGE = { confirmed: 'done', expired: 'expired', unknown: 'unknown' } as const

/** `GET /forms/confirm`: asks, and changes nothing: scanners follow every link of a mail. */
export function showConfirmation(app: App, { links }: Readonly<{ links: Links }>): void {
  app.get(LINK_PATHS.confirm, publicRoute, async (request, reply) => {
    const language = pageLanguage(request)
    return links.open('confirm', tokenOf(request)) === null
      ? answerPage(reply, 404, confirmPage('unknown', language))
      : answerPage(reply, 200, confirmPage('ask', language))
  })
}

/** `POST /forms/confirm`: the button of that page. Anything else changes nothing. */
export function confirm(app: App, deps: Dependencies): void {
  app.post(LINK_PATHS.confirm, { ...publicRoute, bodyLimit: MAX_FORM_BYTES }, async (request, reply) => {
    const language = pageLanguage(request)
    const asked = deps.links.open('confirm', tokenOf(request))
    if (asked === null) return answerPage(reply, 404, confirmPage('unknown', language))
    if (typeof request.body !== 'string' || new URLSearchParams(request.body).get('confirm') !== 'yes')
      return reply.code(400).type('text/plain; charset=utf-8').send('The body must be confirm=yes')
    const { workspaceId, messageId: signUpId } = asked
    const evidence = { ip: request.clientAddress, userAgent: request.headers['user-agent'] ?? null }
    try {
      // Signed by us, so the workspace was there: a read side that was restored may not show it yet.
      const workspace = await deps.directory.findWorkspace(workspaceId)
      if (workspace === null) return answerPage(reply, 503, confirmPage('later', language))
      const { status } = workspace
      if (status === 'closed') return answerPage(reply, 404, confirmPage('unknown', language))
      if (status === 'suspended') return answerPage(reply, 503, confirmPage('later', language))
      const clicked = { evidence, requestId: request.id }
      const { outcome, positions, email } = await confirmSignUp(deps, { workspaceId, signUpId }, clicked)
      if (email !== undefined) await deps.confirmations.confirmed(email)
      await waitForAll(deps, reply, { positions, projections: ['profiles', 'lists'] })
      return answerPage(reply, STATUS[outcome], confirmPage(PAGE[outcome], language))
    } catch (error) {
      if (toProblem(error).status !== 503) throw error
      request.log.warn({ err: error }, 'a sign-up was not confirmed; the page asks to try again')
      return answerPage(reply, 503, confirmPage('later', language))
    }
  })
}

const english = {
  ask: { title: 'Subscribe?', text: 'You will get newsletters and offers from this sender by email.', button: 'Yes, subscribe me' },
  done: { title: 'You are subscribed', text: 'Thank you. You can unsubscribe at any time.' },
  expired: { title: 'This link is too old', text: 'Please sign up once more, and use the link of the new email.' },
  unknown: { title: 'This link is not known', text: 'Please use the link of a newer email, or sign up once more.' },
  later: { title: 'Please try again', text: 'We could not note it down just now. Please go back and try again in a moment.' },
}

const hebrew = {
  ask: { title: 'להצטרף לרשימה?', text: 'תקבלו מהשולח הזה עדכונים והצעות בדואר אלקטרוני.', button: 'כן, אני רוצה להצטרף' },
  done: { title: 'הצטרפתם לרשימה', text: 'תודה. אפשר להסיר את הכתובת בכל עת.' },
  expired: { title: 'הקישור ישן מדי', text: 'נא להירשם שוב ולהשתמש בקישור שבהודעה החדשה.' },
  unknown: { title: 'הקישור אינו מוכר', text: 'נא להשתמש בקישור מהודעה חדשה יותר, או להירשם שוב.' },
  later: { title: 'נא לנסות שוב', text: 'לא הצלחנו לשמור את הבקשה כרגע. נא לחזור ולנסות שוב בעוד רגע.' },
}

/** The pages behind the link of a sign-up's mail. */
const confirmPage = pagesIn({ english, hebrew })
