import { asMessageId, asWorkspaceId, type MessageId, type SmsKeyword, type WorkspaceId } from '@tidings/domain'
import type { InboundSms, SmsReceipt } from '../sms/port.ts'
import type { TwilioAccount } from './account.ts'
import { twilioError } from './errors.ts'
import { isSignature, isSignedBy } from './signature.ts'

/** A request to one of the two routes: what stands behind its path (`''`, or `?…`, as it came), its form body, its signature. */
export type CallbackRequest = Readonly<{ search: string; body: string; signature: string | undefined }>

/** `read` is null where the signature is missing or wrong: the route answers 401. What it holds is null where nothing can be made of it. */
export type TwilioCallbacks = Readonly<{
  status: (request: CallbackRequest, at: Date) => Readonly<{ receipt: SmsReceipt | null }> | null
  inbound: (request: CallbackRequest, at: Date) => Readonly<{ sms: InboundSms | null }> | null
}>

/** Twilio posts some 60 fields. The account's SID is no secret: a stranger can make us look at as many. */
const MAX_FIELDS = 1_000
const MAX_BODY = 64 * 1024

/** Behind the prefix of the API. */
export const TWILIO_PATHS = { status: '/providers/twilio/status', inbound: '/providers/twilio/inbound' } as const

type Path = (typeof TWILIO_PATHS)[keyof typeof TWILIO_PATHS]

const withPath = (publicUrl: string, path: Path): string => `${publicUrl.replace(/\/+$/, '')}/api/v1${path}`

/** The address at which Twilio reports about a message or a call, with our ids, so that a report finds its message even if the answer was lost. */
export function statusCallbackUrl(publicUrl: string, ids: Readonly<{ workspaceId: WorkspaceId; messageId: MessageId }>): string {
  return `${withPath(publicUrl, TWILIO_PATHS.status)}?workspaceId=${ids.workspaceId}&messageId=${ids.messageId}`
}

/** `provider`: the label of the account that signed it. */
type Verified = Readonly<{ params: URLSearchParams; provider: string | undefined }>

/** Verifies and reads what Twilio posts to us. `accounts`: all that are configured, of SMS and of calls; with none every signature is wrong. */
export function createTwilioCallbacks(accounts: readonly TwilioAccount[], publicUrl: string): TwilioCallbacks {
  const verified = (path: Path, { search, body, signature }: CallbackRequest): Verified | null => {
    // The cheap questions come first: a caller without a secret costs no more than these.
    if (!isSignature(signature) || body.length > MAX_BODY || !namesOne(accounts, body)) return null
    if (body.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) return null
    const params = new URLSearchParams(body)
    const request = { url: `${withPath(publicUrl, path)}${search}`, params, signature }
    const named = accounts.filter(({ sid }) => sid === params.get('AccountSid'))
    const account = named.find(({ token }) => isSignedBy([token], request))
    return account === undefined ? null : { params, provider: account.label }
  }
  return {
    status: (request, at) => {
      const by = verified(TWILIO_PATHS.status, request)
      return by === null ? null : { receipt: receiptOf(by, new URLSearchParams(request.search), at) }
    },
    inbound: (request, at) => {
      const by = verified(TWILIO_PATHS.inbound, request)
      return by === null ? null : { sms: inboundOf(by.params, at) }
    },
  }
}

/** Checks the account before anything is parsed. A SID needs no escaping in a form. */
const namesOne = (accounts: readonly TwilioAccount[], body: string): boolean =>
  accounts.some(({ sid }) => body.startsWith(`AccountSid=${sid}`) || body.includes(`&AccountSid=${sid}`))

type CallbackStatus = Readonly<{ status: SmsReceipt['status']; reason: SmsReceipt['reason'] }>

/** Every status that Twilio gives a message or a call. A call that somebody, or a machine, answered is delivered. */
const STATUSES: Readonly<Record<string, CallbackStatus>> = {
  accepted: { status: 'sent', reason: null },
  scheduled: { status: 'sent', reason: null },
  queued: { status: 'sent', reason: null },
  sending: { status: 'sent', reason: null },
  sent: { status: 'sent', reason: null },
  initiated: { status: 'sent', reason: null },
  ringing: { status: 'sent', reason: null },
  'in-progress': { status: 'sent', reason: null },
  delivered: { status: 'delivered', reason: null },
  read: { status: 'delivered', reason: null },
  completed: { status: 'delivered', reason: null },
  undelivered: { status: 'failed', reason: 'undeliverable' },
  failed: { status: 'failed', reason: 'undeliverable' },
  busy: { status: 'failed', reason: 'undeliverable' },
  'no-answer': { status: 'failed', reason: 'undeliverable' },
  canceled: { status: 'failed', reason: 'provider_rejected' },
}

const SID = /^[\w-]{1,64}$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function receiptOf({ params, provider }: Verified, ids: URLSearchParams, at: Date): SmsReceipt | null {
  const sid = sidOf(params)
  const said = params.get('MessageStatus') ?? params.get('SmsStatus') ?? params.get('CallStatus') ?? ''
  const known = Object.hasOwn(STATUSES, said) ? STATUSES[said] : undefined
  if (sid === null || known === undefined) return null
  const code = /^\d{1,9}$/.test(params.get('ErrorCode') ?? '') ? Number(params.get('ErrorCode')) : null
  const row = twilioError(code)
  return {
    workspaceId: idOf(ids.get('workspaceId'), asWorkspaceId),
    messageId: idOf(ids.get('messageId'), asMessageId),
    providerMessageId: sid,
    status: known.status,
    reason: known.status === 'failed' ? (row?.receipt ?? known.reason) : null,
    detail: known.status === 'failed' ? [said, code, row?.means].filter((part) => part != null).join(', ') : null,
    at: at.toISOString(),
    ...recipientsOf(params.get('To') ?? params.get('Called')),
    ...(provider !== undefined && { provider }),
  }
}

const E164 = /^\+\d{5,15}$/

const recipientsOf = (to: string | null): Readonly<{ recipients?: readonly string[] }> =>
  to !== null && E164.test(to) ? { recipients: [to] } : {}

function inboundOf(params: URLSearchParams, at: Date): InboundSms | null {
  const sid = sidOf(params)
  const [from, to] = [params.get('From'), params.get('To')]
  if (sid === null || !from || !to) return null
  const keyword = KEYWORDS.get((params.get('OptOutType') ?? '').toUpperCase())
  return { providerMessageId: sid, from, to, body: params.get('Body') ?? '', at: at.toISOString(), ...(keyword && { keyword }) }
}

/** What Twilio took a message for, where the number is of a Messaging Service with Advanced Opt-Out: it has words of its own in every language. */
const KEYWORDS: ReadonlyMap<string, SmsKeyword> = new Map([
  ['STOP', 'stop'],
  ['START', 'start'],
  ['HELP', 'help'],
])

function sidOf(params: URLSearchParams): string | null {
  const sid = params.get('MessageSid') ?? params.get('SmsSid') ?? params.get('CallSid') ?? ''
  return SID.test(sid) ? sid : null
}

const idOf = <Id>(text: string | null, named: (text: string) => Id): Id | null =>
  text !== null && UUID.test(text) ? named(text.toLowerCase()) : null
