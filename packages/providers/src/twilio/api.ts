import type { WorkspaceId } from '@tidings/domain'
import { CallFailed, createCaller, createOriginGuard } from '@tidings/outbound-http'
import { createHttpApi, type Leaving, PROBES, showsThatItWorks } from '../http-api/http-api.ts'
import type { SendOptions } from '../port.ts'
import type { ProviderTried } from '../provider-kind.ts'
import type { TakenMessage } from '../taken.ts'
import { carrierOf, phoneRoute } from '../throttle/phone-route.ts'
import { basicAuth, type TwilioAccount } from './account.ts'
import { type RequestOutcome, readAnswer } from './read-answer.ts'

/** `connections`: calls at once. `maxWaiting`: how many more of one workspace and class may wait. `callMs`: for one request. `onOutage`: as for email. */
export type TwilioSettings = Readonly<{
  account: TwilioAccount
  publicUrl: string
  connections: number
  maxWaiting?: number
  callMs: number
  onOutage?: (reason: string | null) => void
}>

/**
 * `form` is called behind the fence. `text`: what it says to a person. `from`: the sender as callers name it, which shares a route, and `ownNumber` as of
 * a text message. Neither the text nor a number is repeated in an error.
 */
type TwilioRequest = Readonly<{
  workspaceId: WorkspaceId
  to: string
  from: string
  text: string
  form: () => RequestForm
  ownNumber?: () => string | null
}>

export type TwilioApi = Readonly<{
  callMs: number
  create: (request: TwilioRequest, options: SendOptions) => Promise<TakenMessage>
  outage: () => string | null
  close: () => Promise<void>
}>

/**
 * Creates messages or calls. The API has no idempotency key for that: a request that left and has no usable answer is `unconfirmed`, and one
 * that the rate limit refuses was never taken.
 */
export function createTwilioApi(resource: 'Messages' | 'Calls', settings: TwilioSettings): TwilioApi {
  const { account, connections, maxWaiting, callMs, onOutage } = settings
  const requests = createRequests({ resource, account, connections: connections + PROBES, callMs })
  const api = createHttpApi({
    ...{ connections, carriesPasscodes: true, maxWaiting, callMs, onOutage, groupOf: carrierOf },
    ask: async ({ to, text, form, ownNumber }: TwilioRequest, leaving): Promise<RequestOutcome> => {
      const said = await requests.post(form(), leaving)
      if (said.failure === null) return said
      return { ...said, response: redact(said.response, account, { text, numbers: [to, ownNumber?.() ?? ''] }) }
    },
    // A working server refuses it, so that no message and no call results.
    works: async () => showsThatItWorks(await requests.post({})),
  })
  return {
    callMs,
    create: async (request, options) => {
      const { sid, response } = await api.send({ ...request, route: phoneRoute(request) }, options)
      return { providerMessageId: sid, response }
    },
    outage: api.outage,
    close: async () => {
      await api.close()
      await requests.close()
    },
  }
}

type RequestForm = Readonly<Record<string, string>>

/** `callMs`: for one request, from the look-up of the name to the end of the answer. */
type RequestsSettings = Readonly<{ resource: 'Messages' | 'Calls'; account: TwilioAccount; connections: number; callMs: number }>

type Requests = Readonly<{
  /** It never rejects: a request without an answer is `unconfirmed` if it had left, else `outage`. */
  post: (form: RequestForm, leaving?: Leaving) => Promise<RequestOutcome>
  close: () => Promise<void>
}>

/** Posts forms to one resource of an account, over kept connections, wherever the operator's host is. Redirects are not followed. */
function createRequests({ resource, account, connections, callMs }: RequestsSettings): Requests {
  const { origin, basePath, sid } = account
  const url = `${origin}${basePath}/2010-04-01/Accounts/${sid}/${resource}.json`
  const headers = { authorization: basicAuth(account), 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
  const caller = createCaller({ guard: createOriginGuard(origin), timeoutMs: callMs, connections })
  return {
    post: async (form, { onSent, withdrawn } = {}) => {
      const body = Buffer.from(new URLSearchParams(form).toString())
      try {
        return readAnswer(await caller.ask({ scope: '', lane: '', url, headers, body, withdrawn }, onSent), sid)
      } catch (error) {
        const isSent = error instanceof CallFailed && error.sent
        return {
          failure: isSent ? 'unconfirmed' : 'outage',
          response: (error as Error).message,
          waitMs: null,
          status: null,
          isByCode: false,
        }
      }
    },
    close: caller.close,
  }
}

/**
 * Asks for a message or a call without a recipient, which a server that works refuses: nothing is sent. Throws one sentence, without
 * credentials, where nothing could be.
 */
export async function tryTwilio(
  account: TwilioAccount,
  { resource, callMs }: Readonly<{ resource: 'Messages' | 'Calls'; callMs: number }>,
): Promise<ProviderTried> {
  const requests = createRequests({ resource, account, connections: 1, callMs })
  try {
    const outcome = await requests.post({})
    if (outcome.failure === 'refused' || outcome.failure === 'recipient')
      return { said: `${account.origin} answers, and takes the account`, lifted: [] }
    const said =
      outcome.failure === null ? 'it takes a message without a recipient' : redact(outcome.response, account, { text: '', numbers: [] })
    throw new Error(`${account.origin} cannot be used: ${said}.`)
  } finally {
    await requests.close()
  }
}

const DIGITS = /\d{4,}/g
/** A shorter text holds no passcode, and would be found in ordinary words. */
const SHORTEST_TEXT = 8

/** `numbers`: the recipient's, and the sender's where callers know it by a name. */
type RequestWords = Readonly<{ text: string; numbers: readonly string[] }>

/**
 * A server's words without what must be neither stored nor logged, in case it repeats what it was given: the credentials, the text of the
 * message, the numbers, and any run of four or more digits that the text holds, as a passcode is.
 */
export function redact(words: string, account: TwilioAccount, { text, numbers }: RequestWords): string {
  const codes = [...numbers, text.replaceAll(/(?<=\d),? (?=\d)/g, '')].flatMap((one) => [...one.matchAll(DIGITS)].map(([digits]) => digits))
  const spaced = codes.flatMap((code) => [[...code].join(' '), [...code].join(', ')])
  const secrets = [text.length < SHORTEST_TEXT ? '' : text, ...codes, ...spaced, basicAuth(account).slice('Basic '.length), account.token]
  return secrets.filter((secret) => secret !== '').reduce((cleaned, secret) => cleaned.replaceAll(secret, '[redacted]'), words)
}
