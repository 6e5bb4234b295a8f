import { CallFailed } from '@tidings/outbound-http'
import { messageIdHost } from '../email/message-id.ts'
import { buildMime } from '../email/mime/build-mime.ts'
import { wireAddress } from '../email/mime/header.ts'
import { signMime } from '../email/mime/sign-mime.ts'
import type { EmailMessage, EmailProvider, UnsubscribeAddresses } from '../email/port.ts'
import { DeliveryError } from '../port.ts'
import { createHttpApi } from './http-api.ts'
import type { ApiOutcome, UnsentRequest } from './outcome.ts'
import { redacted } from './redacted.ts'

/** `address` as the provider reads it. `connections`: requests at once. The rest as for every email provider. */
export type MimeProviderSettings = Readonly<{
  address: string
  publicUrl: string
  connections: number
  callMs: number
  unsubscribeAddresses?: UnsubscribeAddresses
  onOutage?: (reason: string | null) => void
}>

/** A mail as it goes over the wire. `isPlain`: the addresses of both sides are of ASCII. */
export type MailToPost = Readonly<{ to: string; mime: string; isPlain: boolean }>

type MailOutcome = ApiOutcome<Readonly<{ id: string; response: string }>>

/**
 * An API that takes mails as MIME. `post` never rejects, `works` asks whether any mail could leave. `maxBytes`: of a mail, and how a sentence says that. `secrets`: what no
 * word of the server may show. `rewritten`: headers that the provider sets anew, so that no signature of ours may cover them.
 */
type MimeApi = Readonly<{
  name: string
  post: (mail: MailToPost, onSent: (() => void) | undefined) => Promise<MailOutcome>
  works: () => Promise<boolean>
  maxBytes: number
  tooLarge: string
  secrets: readonly string[]
  rewritten?: readonly string[]
  close: () => Promise<void>
}>

/**
 * Mail through an HTTP API as MIME of our own: the same mail as over SMTP, with our headers and our signature. Such an API has no idempotency key: what left and has no usable answer
 * is `unconfirmed`, and is sent once more by the same provider under the same Message-ID.
 */
export function createMimeProvider(settings: MimeProviderSettings, mails: MimeApi): EmailProvider {
  const { publicUrl, connections, callMs, onOutage, unsubscribeAddresses } = settings
  const host = messageIdHost(publicUrl)
  const mimeOf = (message: EmailMessage): string => {
    const unsubscribeAddress = unsubscribeAddresses?.unsubscribeAddressOf(message.messageId) ?? null
    const mime = buildMime(message, { host, date: new Date(), unsubscribeAddress })
    if (Buffer.byteLength(mime) > mails.maxBytes) throw new DeliveryError('refused', mails.tooLarge)
    return message.dkim === undefined ? mime : signMime(mime, message.dkim, mails.rewritten)
  }
  const api = createHttpApi({
    ...{ connections, carriesPasscodes: false, callMs, onOutage, groupOf: domainOf, works: mails.works },
    ask: async (request: OutgoingMail, { onSent }): Promise<MailOutcome> => {
      const said = await mails.post(request.mail(), onSent)
      return said.failure === null ? said : { ...said, response: redacted(said.response, [...mails.secrets, ...saidIn(request.message)]) }
    },
  })
  return {
    name: mails.name,
    callMs,
    send: async (message, options) => {
      const { workspaceId } = message
      const to = wireAddress(message.to)
      const isPlain = [to, wireAddress(message.from.email)].every((one) => /^[\x20-\x7e]*$/.test(one))
      // A mail that cannot be built waits for nothing.
      mimeOf(message)
      const mail = () => ({ to, isPlain, mime: mimeOf(message) })
      const request = { workspaceId, to: message.to, route: `${workspaceId} ${domainOf(to)}`, message, mail }
      const { id, response } = await api.send(request, options)
      return { providerMessageId: id, response }
    },
    outage: api.outage,
    close: async () => {
      await api.close()
      await mails.close()
    },
  }
}

/** `mail` builds it behind the fence: its date is the hand-over. */
type OutgoingMail = Readonly<{ message: EmailMessage; mail: () => MailToPost }>

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

/** The recipient, and digits that the mail has: a passcode may stand there. */
function saidIn({ subject, text, html, to }: EmailMessage): readonly string[] {
  const digits = [...`${subject} ${text ?? ''} ${html}`.matchAll(/\d{4,}/g)].slice(0, 200).map(([run]) => run)
  return [to, ...digits]
}

/** What became of a call that brought no answer. */
export function unanswered(error: unknown): UnsentRequest {
  const isSent = error instanceof CallFailed && error.sent
  const response = error instanceof Error ? error.message : String(error)
  return { failure: isSent ? 'unconfirmed' : 'outage', response, waitMs: null, status: null, isByCode: false }
}
