import { type Answer, createCaller, createOriginGuard } from '@tidings/outbound-http'
import aws4 from 'aws4'
import type { EmailProvider } from '../email/port.ts'
import { PROBES } from '../http-api/http-api.ts'
import { fieldsIn, fieldsOf } from '../http-api/json-fields.ts'
import { createMimeProvider, type MailToPost, type MimeProviderSettings, unanswered } from '../http-api/mime-provider.ts'
import { redacted } from '../http-api/redacted.ts'
import type { ProviderTried } from '../provider-kind.ts'
import { type SesAccount, sesAccount } from './account.ts'
import { readAnswer, type SesOutcome } from './read-answer.ts'

/** SES takes 40 MB as it goes over the wire (https://docs.aws.amazon.com/ses/latest/dg/quotas.html), of which base64 is a third more than the mail. */
const MAX_BYTES = 30 * 1024 * 1024

/**
 * Mail through Amazon SES (https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html). SES names it by an id of its own and sets Message-ID and Date anew;
 * its reports show ours (https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html).
 */
export function sesProvider(settings: MimeProviderSettings): EmailProvider {
  const { connections, callMs } = settings
  const account = sesAccount(settings.address)
  const { post, look, close } = createRequests(account, { connections: connections + PROBES, callMs })
  return createMimeProvider(settings, {
    ...{ name: 'ses', post, close, maxBytes: MAX_BYTES, tooLarge: 'the mail is larger than the 40 MB that Amazon SES takes' },
    works: async () => (await look()).isUsable,
    secrets: secretsOf(account),
    rewritten: ['Message-ID', 'Date'],
  })
}

/** What SES says of the account; `isUsable`: mail may leave. */
type AccountLook = Readonly<{ isUsable: boolean; said: string }>

type Requests = Readonly<{
  /** It never rejects. */
  post: (mail: MailToPost, onSent: (() => void) | undefined) => Promise<SesOutcome>
  /** Looks at the account, without a mail. It never rejects. */
  look: () => Promise<AccountLook>
  close: () => Promise<void>
}>

function createRequests(account: SesAccount, { connections, callMs }: Readonly<{ connections: number; callMs: number }>): Requests {
  const { origin, configurationSet } = account
  const caller = createCaller({ guard: createOriginGuard(origin), timeoutMs: callMs, connections })
  const ask = (path: string, body?: Buffer, onSent?: () => void): Promise<Answer> => {
    const call = { scope: '', lane: '', url: `${origin}${path}`, headers: signedHeaders(account, path, body) }
    return caller.ask(body === undefined ? call : { ...call, body }, onSent)
  }
  return {
    post: async ({ to, mime, isPlain }, onSent) => {
      const asked = {
        Destination: { ToAddresses: [to] },
        Content: { Raw: { Data: Buffer.from(mime).toString('base64') } },
        ...(configurationSet !== null && { ConfigurationSetName: configurationSet }),
      }
      try {
        return readAnswer(await ask('/v2/email/outbound-emails', Buffer.from(JSON.stringify(asked)), onSent), isPlain)
      } catch (error) {
        return unanswered(error)
      }
    },
    look: async () => {
      try {
        return lookIn(await ask('/v2/email/account'))
      } catch (error) {
        return { isUsable: false, said: unanswered(error).response }
      }
    },
    close: caller.close,
  }
}

/** Signature Version 4 of a request (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html), by the library. */
function signedHeaders({ keyId, secret, region, origin }: SesAccount, path: string, body: Buffer | undefined): Record<string, string> {
  const { host } = new URL(origin)
  const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) }
  const request = {
    service: 'ses',
    region,
    host,
    path,
    method: body === undefined ? 'GET' : 'POST',
    headers,
    ...(body !== undefined && { body }),
  }
  const signed = aws4.sign(request, { accessKeyId: keyId, secretAccessKey: secret }).headers ?? {}
  return Object.fromEntries(Object.entries(signed).map(([name, value]) => [name, String(value)]))
}

/** https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_GetAccount.html. A key that may not look at its account is one that SES knows. */
function lookIn(answer: Answer): AccountLook {
  const fields = fieldsIn(answer.body?.toString('utf8') ?? '')
  if (answer.status === 200 && fields.SendingEnabled !== undefined) {
    const { SendingEnabled, EnforcementStatus, ProductionAccessEnabled } = fields
    const { Max24HourSend: most, SentLast24Hours: sent, MaxSendRate: rate } = fieldsOf(fields.SendQuota)
    if (SendingEnabled !== true || EnforcementStatus === 'SHUTDOWN') return { isUsable: false, said: 'the account may send nothing' }
    const quota = [most, sent, rate].every((one) => typeof one === 'number')
      ? `, ${sent} of ${most} mails in 24 hours, ${rate} a second`
      : ''
    return {
      isUsable: true,
      said: `takes the key${quota}${ProductionAccessEnabled === false ? '; the account is in the sandbox: only to verified addresses' : ''}`,
    }
  }
  const said = readAnswer(answer, true)
  const response = said.failure === null ? 'it answers with a mail' : said.response
  const isDenied = answer.status === 403 && / AccessDenied/.test(response)
  if (isDenied) return { isUsable: true, said: 'knows the key, which may not look at the account: allow it ses:GetAccount' }
  return { isUsable: said.failure === 'rate limit', said: response }
}

const secretsOf = ({ keyId, secret }: SesAccount): readonly string[] => [secret, keyId]

/** Looks at the account. Throws one sentence, without a key, where no mail could leave. */
export async function trySes(address: string, callMs: number): Promise<ProviderTried> {
  const account = sesAccount(address)
  const requests = createRequests(account, { connections: 1, callMs })
  try {
    const { isUsable, said } = await requests.look()
    const words = redacted(said, secretsOf(account))
    if (!isUsable) throw new Error(`${account.origin} cannot be used: ${words}.`)
    return { said: `${account.origin} ${words}`, lifted: [] }
  } finally {
    await requests.close()
  }
}
