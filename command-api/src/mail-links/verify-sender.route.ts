import { waitUntilVisible } from '@tidings/administration'
import { uuidv7 } from '@tidings/codec'
import { Refused, workspace, workspaceStream } from '@tidings/domain'
import { type App, toProblem } from '@tidings/http'
import { LINK_PATHS, type Links } from '@tidings/mail-content'
import type { Dependencies } from '../dependencies.ts'
import { pageLanguage } from './page-language.ts'
import { answerPage, pagesIn } from './pages.ts'
import { publicRoute, tokenOf } from './public-route.ts'

const MAX_FORM_BYTES = 4_096

/** `GET /verify`: asks, and changes nothing: scanners follow every link of a mail (M14). */
export function showVerification(app: App, { links }: Readonly<{ links: Links }>): void {
  app.get(LINK_PATHS.verify, publicRoute, async (request, reply) => {
    const language = pageLanguage(request)
    return links.open('verify', tokenOf(request)) === null
      ? answerPage(reply, 404, verifyPage('unknown', language))
      : answerPage(reply, 200, verifyPage('ask', language))
  })
}

/** `POST /verify`: the button of that page. Anything else changes nothing. */
export function verifySender(app: App, deps: Dependencies): void {
  app.post(LINK_PATHS.verify, { ...publicRoute, bodyLimit: MAX_FORM_BYTES }, async (request, reply) => {
    const language = pageLanguage(request)
    const asked = deps.links.open('verify', tokenOf(request))
    if (asked === null) return answerPage(reply, 404, verifyPage('unknown', language))
    if (typeof request.body !== 'string' || new URLSearchParams(request.body).get('confirm') !== 'yes')
      return reply.code(400).type('text/plain; charset=utf-8').send('The body must be confirm=yes')
    const { workspaceId, addressId, messageId: confirmationId } = asked
    const at = deps.now()
    try {
      const { position } = await deps.commands.execute({
        decider: workspace,
        stream: workspaceStream(workspaceId),
        command: { type: 'VerifySenderAddress', data: { addressId, confirmationId, at } },
        context: { commandId: uuidv7(), workspaceId, actor: 'mailbox', requestId: request.id, at },
      })
      await waitUntilVisible(deps, reply, { position, projections: ['sender_addresses'] })
      return answerPage(reply, 200, verifyPage('done', language))
    } catch (error) {
      if (error instanceof Refused)
        return error.code === 'sender_confirmation_expired'
          ? answerPage(reply, 410, verifyPage('expired', language))
          : answerPage(reply, 404, verifyPage('unknown', language))
      if (toProblem(error).status !== 503) throw error
      request.log.warn({ err: error }, 'a sender address was not confirmed; the page asks to try again')
      return answerPage(reply, 503, verifyPage('later', language))
    }
  })
}

const english = {
  ask: {
    title: 'Send from this address?',
    text: 'Somebody wants to send mail from the address that this link was sent to. Confirm it only if that is right.',
    button: 'Yes, it is mine',
  },
  done: { title: 'The address is confirmed', text: 'Thank you. Mail can be sent from it now.' },
  expired: { title: 'This link is too old', text: 'Ask for another email, and use the link in it.' },
  unknown: { title: 'This link is not known', text: 'Please use the link of the newest email.' },
  later: { title: 'Please try again', text: 'We could not note it down just now. Please go back and try again in a moment.' },
}

const hebrew: typeof english = {
  ask: {
    title: 'לשלוח מהכתובת הזאת?',
    text: 'מישהו מבקש לשלוח דואר מהכתובת שאליה נשלח הקישור. יש לאשר רק אם זה נכון.',
    button: 'כן, הכתובת שלי',
  },
  done: { title: 'הכתובת אושרה', text: 'תודה. אפשר לשלוח ממנה דואר.' },
  expired: { title: 'הקישור ישן מדי', text: 'נא לבקש הודעה חדשה ולהשתמש בקישור שבה.' },
  unknown: { title: 'הקישור אינו מוכר', text: 'נא להשתמש בקישור מההודעה החדשה ביותר.' },
  later: { title: 'נא לנסות שוב', text: 'לא הצלחנו לשמור את הבקשה כרגע. נא לחזור ולנסות שוב בעוד רגע.' },
}

/** The pages behind the link of the mail that asks the mailbox of a sender address (M14). */
const verifyPage = pagesIn({ english, hebrew })
