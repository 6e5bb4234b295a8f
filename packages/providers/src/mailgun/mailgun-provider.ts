import { createCaller, createOriginGuard } from '@tidings/outbound-http'
import type { EmailProvider } from '../email/port.ts'
import { PROBES, showsThatItWorks } from '../http-api/http-api.ts'
import { createMimeProvider, type MailToPost, type MimeProviderSettings, unanswered } from '../http-api/mime-provider.ts'
import { redacted } from '../http-api/redacted.ts'
import type { ProviderTried } from '../provider-kind.ts'
import { type MailgunAccount, mailgunAccount } from './account.ts'
import { type MailgunOutcome, readAnswer } from './read-answer.ts'

/** Mailgun takes mails of 25 MB (https://documentation.mailgun.com/en/latest/api-sending.html); one that cannot be taken is not sent there. */
const MAX_BYTES = 25 * 1024 * 1024

/**
 * Mail through Mailgun's HTTP API (https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages/post-v3--domain-name--messages-mime.md). It keeps our
 * Message-ID, by which it names the mail. Mailgun rewrites no link and adds no pixel: Tidings does that itself.
 */
export function mailgunProvider(settings: MimeProviderSettings): EmailProvider {
  const { connections, callMs } = settings
  const account = mailgunAccount(settings.address)
  const { post, close } = createRequests(account, { connections: connections + PROBES, callMs })
  return createMimeProvider(settings, {
    ...{ name: 'mailgun', post, close, maxBytes: MAX_BYTES, tooLarge: 'the mail is larger than the 25 MB that Mailgun takes' },
    works: async () => showsThatItWorks(await post(null)),
    secrets: secretsOf(account),
  })
}

type Requests = Readonly<{
  /** Null asks for a mail without a recipient. It never rejects. */
  post: (mail: MailToPost | null, onSent?: (() => void) | undefined) => Promise<MailgunOutcome>
  close: () => Promise<void>
}>

function createRequests(account: MailgunAccount, { connections, callMs }: Readonly<{ connections: number; callMs: number }>): Requests {
  const { origin, domain } = account
  const url = `${origin}/v3/${encodeURIComponent(domain)}/messages.mime`
  const caller = createCaller({ guard: createOriginGuard(origin), timeoutMs: callMs, connections })
  return {
    post: async (mail, onSent) => {
      const { type, body } = formOf(mail)
      const headers = { authorization: basicAuth(account), 'content-type': type, accept: 'application/json' }
      try {
        const answer = await caller.ask({ scope: '', lane: '', url, headers, body }, onSent)
        return readAnswer(answer, mail?.isPlain ?? true)
      } catch (error) {
        return unanswered(error)
      }
    },
    close: caller.close,
  }
}

const BOUNDARY = '=_tidings_form_7f3c9a5e1b'

/** A form with the mail as a file (RFC 7578). No line of a mail begins with this boundary: its own begins with `--=_` and an id. */
function formOf(mail: MailToPost | null): Readonly<{ type: string; body: Buffer }> {
  const field = (name: string, value: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const file = (mime: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="message"; filename="message.mime"\r\nContent-Type: message/rfc822\r\n\r\n${mime}\r\n`
  const parts = mail === null ? [] : [field('to', mail.to), field('o:tracking', 'no'), file(mail.mime)]
  return { type: `multipart/form-data; boundary="${BOUNDARY}"`, body: Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`) }
}

const basicAuth = ({ key }: MailgunAccount): string => `Basic ${Buffer.from(`api:${key}`).toString('base64')}`

const secretsOf = (account: MailgunAccount): readonly string[] => [
  account.key,
  account.webhookKey ?? '',
  basicAuth(account).slice('Basic '.length),
]

/** Asks for a mail without a recipient, which a server that works refuses. Throws one sentence, without a key, where no mail could leave. */
export async function tryMailgun(address: string, callMs: number): Promise<ProviderTried> {
  const account = mailgunAccount(address)
  const requests = createRequests(account, { connections: 1, callMs })
  try {
    const outcome = await requests.post(null)
    if (outcome.failure === 'refused' || outcome.failure === 'recipient')
      return { said: `${account.origin} answers, and takes the key for ${account.domain}`, lifted: [] }
    const said = outcome.failure === null ? 'it takes a mail without a recipient' : outcome.response
    throw new Error(`${account.origin} cannot be used: ${redacted(said, secretsOf(account))}.`)
  } finally {
    await requests.close()
  }
}
