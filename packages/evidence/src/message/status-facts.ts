import type { Recorded } from '@tidings/codec'
import type { MessageEvent, MessageReceiptIgnored } from '@tidings/domain'
import { type Fact, factOf } from '../fact.ts'
import type { Accepted, KnownMessage } from './known-message.ts'

/** The outcome of the message, in the provider's words where there are any. The acceptance is a fact of who asked. */
export function statusFacts({ events, accepted }: KnownMessage): readonly Fact[] {
  return events
    .filter((event) => event !== accepted)
    .flatMap((event) => [
      ...(event.type === 'MessageSent' ? [factOf(event, `nothing blocked it: ${gatesOf(accepted).join(', ')}`)] : []),
      factOf(event, saysOf(event)),
    ])
}

/** The checks right before the provider is called. A passcode is to no contact, and judged when it is asked for. */
const gatesOf = ({ type, data }: Recorded<Accepted>): readonly string[] => [
  ...(type === 'PasscodeAccepted' ? [] : ['suppression']),
  ...('kind' in data && data.kind === 'marketing' ? ['consent', 'frequency cap', 'quiet hours'] : []),
  ...(type === 'PushAccepted' ? [] : ['sender']),
  ...('credits' in data ? ['credits'] : []),
]

const saysOf = (event: Recorded<MessageEvent>): string => {
  switch (event.type) {
    case 'EmailAccepted':
    case 'SmsAccepted':
    case 'PushAccepted':
    case 'PasscodeAccepted':
      return 'accepted again'
    case 'MessageReaddressed':
      return `readdressed${event.data.to === null ? '' : ` to ${event.data.to}`}: the address that the contact has by now`
    case 'MessageSent':
      return `sent: ${event.data.provider} took it as ${event.data.providerMessageId}${quoted(event.data.response ?? null)}`
    case 'MessageUnconfirmed':
      return `${event.data.provider} was called, and its answer is missing: it may have taken the message`
    case 'PushAttempted':
      return `browsers: ${event.data.accepted.length} took it, ${event.data.refused.length} refused it, ${event.data.waiting.length} are tried again`
    case 'MessageDelivered':
      return 'delivered, says the provider'
    case 'MessageBounced':
      return `bounced, ${event.data.hard ? 'for good' : 'for now'} (${event.data.reason})${quoted(event.data.detail)}`
    case 'MessageComplained':
      return 'the recipient complained about spam, says the provider'
    case 'MessageFailed':
      return `failed (${event.data.reason})${quoted(event.data.detail)}`
    case 'MessageSuppressed':
      return `not sent, because the recipient is suppressed (${event.data.reason})`
    case 'MessageSkipped':
      return `not sent (${event.data.reason})${SKIPPED[event.data.reason] ?? ''}`
    case 'MessageReceiptIgnored':
      return ignored(event.data)
    case 'EmailOpened':
      return `opened by ${who(event.data)}`
    case 'EmailClicked':
      return `link ${event.data.link + 1} followed by ${who(event.data)}${to(event.data)}`
    case 'PushClicked':
      return `clicked by ${who(event.data)}${to(event.data)}`
    default:
      return event satisfies never
  }
}

const SKIPPED: Readonly<Record<string, string>> = {
  no_consent: ': marketing goes only to those who subscribed',
  frequency_cap: ': the contact had as many marketing messages as it may have',
  quiet_hours: ': it was in quiet hours, and its campaign does not wait',
  insufficient_credits: ': the wallet had less than it costs',
  campaign_cancelled: ': its campaign was over',
}

const ignored = ({ receipt, facts, address }: MessageReceiptIgnored['data']): string => {
  const detail = facts?.detail
  const of = address === undefined ? '' : ' of an address that it was readdressed from'
  return `${receipt}, says the provider${of}; the status stays${quoted(typeof detail === 'string' ? detail : null)}`
}

/** Null where nothing was said, and where it is erased. */
const quoted = (words: string | null): string => (words === null ? '' : `: ${words}`)

const who = ({ machine }: Readonly<{ machine: boolean }>): string => (machine ? 'a program' : 'the recipient')

const to = ({ url }: Readonly<{ url: string | null }>): string => (url === null ? '' : `, to ${url}`)
