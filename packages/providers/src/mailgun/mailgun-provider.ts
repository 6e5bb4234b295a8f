import { CallFailed, createCaller, createOriginGuard } from '@tidings/outbound-http'
import { messageIdHost } from '../email/message-id.ts'
import { buildMime } from '../email/mime/build-mime.ts'
import { wireAddress } from '../email/mime/header.ts'
import { signMime } from '../email/mime/sign-mime.ts'
import type { EmailMessage, EmailProvider, UnsubscribeAddresses } from '../email/port.ts'
import { createHttpApi, PROBES, showsThatItWorks } from '../http-api/http-api.ts'
import { DeliveryError } from '../port.ts'
import type { ProviderTried } from '../provider-kind.ts'
import { type MailgunAccount, mailgunAccount } from './account.ts'
import { type MailgunOutcome, readAnswer } from './read-answer.ts'

/** `address` as `mailgunAccount` reads it. `connections`: requests at once. The rest as for every email provider. */
export type MailgunSettings = Readonly<{
  address: string
  publicUrl: string
  connections: number
  callMs: number
  unsubscribeAddresses?: UnsubscribeAddresses
  onOutage?: (reason: string | null) => void
}>

/** Mailgun takes mails of 25 MB (https://documentation.mailgun.com/en/latest/api-sending.html); one that cannot be taken is not sent there. */
const MAX_BYTES = 25 * 1024 * 1024

/**
 * Mail through Mailgun's HTTP API, as MIME of our own (https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages/post-v3--domain-name--messages-mime.md):
 * so it is the same mail as over SMTP, with our Message-ID, by which Mailgun names it, our signature and our headers. The API has no idempotency key: what left
 * and has no usable answer is `unconfirmed`, and is sent once more under the same Message-ID. Mailgun rewrites no link and adds no pixel: Tidings does that itself.
 */
export function mailgunProvider(settings: MailgunSettings): EmailProvider {
  const { publicUrl, connections, callMs, onOutage, unsubscribeAddresses } = settings
  const account = mailgunAccount(settings.address)
  const host = messageIdHost(publicUrl)
  const requests = createRequests(account, { connections: connections + PROBES, callMs })
  const api = createHttpApi({
    ...{ connections, carriesPasscodes: false, callMs, onOutage, groupOf: domainOf },
    ask: async (request: OutgoingMail, onSent): Promise<MailgunOutcome> => {
      const said = await requests.post(request.mail(), onSent)
      return said.failure === null ? said : { ...said, response: withoutSecrets(said.response, account, request) }
    },
    works: async () => showsThatItWorks(await requests.post(null)),
  })
  return {
    name: 'mailgun',
    callMs,
    send: async (message, options) => {
      const { workspaceId, messageId } = message
      const to = wireAddress(message.to)
      const build = () => mimeOf(message, { host, unsubscribeAddress: unsubscribeAddresses?.unsubscribeAddressOf(messageId) ?? null })
      // A mail that cannot be built waits for nothing.
      build()
      const mail = () => ({ to, mime: build() })
      const { id, response } = await api.send(
        { workspaceId, to: message.to, route: `${workspaceId} ${domainOf(to)}`, message, mail },
        options,
      )
      return { providerMessageId: id, response }
    },
    outage: api.outage,
    close: async () => {
      await api.close()
      await requests.close()
    },
  }
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

/** `mail` builds it behind the fence: its date is the hand-over. */
type OutgoingMail = Readonly<{ message: EmailMessage; mail: () => MailToPost }>
type MailToPost = Readonly<{ to: string; mime: string }>

type MimeSettings = Readonly<{ host: string; unsubscribeAddress: string | null }>

function mimeOf(message: EmailMessage, { host, unsubscribeAddress }: MimeSettings): string {
  const mime = buildMime(message, { host, date: new Date(), unsubscribeAddress })
  if (Buffer.byteLength(mime) > MAX_BYTES) throw new DeliveryError('refused', 'the mail is larger than the 25 MB that Mailgun takes')
  return message.dkim === undefined ? mime : signMime(mime, message.dkim)
}

type Requests = Readonly<{
  /** Null asks for a mail without a recipient. It never rejects. */
  post: (mail: MailToPost | null, onSent?: () => void) => Promise<MailgunOutcome>
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
        return readAnswer(answer, mail === null || /^[\x20-\x7e]*$/.test(mail.to))
      } catch (error) {
        const isSent = error instanceof CallFailed && error.sent
        const response = error instanceof Error ? error.message : String(error)
        return { failure: isSent ? 'unconfirmed' : 'outage', response, waitMs: null, status: null, isByCode: false }
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

/** A server's words without the keys, the recipient, and digits that the mail has: a passcode may stand there. */
function withoutSecrets(words: string, account: MailgunAccount, { message }: Pick<OutgoingMail, 'message'>): string {
  const said = `${message.subject} ${message.text ?? ''} ${message.html}`
  const digits = [...said.matchAll(/\d{4,}/g)].slice(0, 200).map(([run]) => run)
  return redacted(words, [...secretsOf(account), message.to, ...digits])
}

const secretsOf = (account: MailgunAccount): readonly string[] => [
  account.key,
  account.webhookKey ?? '',
  basicAuth(account).slice('Basic '.length),
]

const redacted = (words: string, secrets: readonly string[]): string =>
  secrets.filter((secret) => secret !== '').reduce((cleaned, secret) => cleaned.replaceAll(secret, '[redacted]'), words)

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
