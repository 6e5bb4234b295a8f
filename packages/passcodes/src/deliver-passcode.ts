import { isPromise, judgedNow, type MaybePromise } from '@tidings/async'
import type { MessageId, Refused, WorkspaceId } from '@tidings/domain'
import { providerAttributes, traces } from '@tidings/observability/traces'
import { DeliveryError, type SendOptions, type SmsProvider, type TakenMessage, type VoiceProvider } from '@tidings/providers'
import type { PasscodeText } from './passcode-text.ts'

type PasscodeProviders = Readonly<{ sms: SmsProvider; voice: VoiceProvider }>

/** `onCall` gets how each call of a provider ended: `accepted`, or the failure. `ownNumberOf`: the number behind a sender ID (M48). */
export type DeliveringParts = Readonly<{
  providers: PasscodeProviders
  ownNumberOf: (sender: Readonly<{ workspaceId: WorkspaceId; senderId: string }>) => MaybePromise<string | null>
  onCall: (of: Readonly<{ channel: 'sms' | 'voice'; provider: string }>, result: string, ms: number) => void
}>

/** A passcode on its way. `language`: of the voice, such as `he`. `code` must reach nothing but a provider (M7). */
export type OutgoingPasscode = Readonly<{
  workspaceId: WorkspaceId
  messageId: MessageId
  channel: 'sms' | 'voice'
  to: string
  from: string
  text: PasscodeText
  code: string
  language: string
}>

type Delivered = TakenMessage & Readonly<{ provider: string }>

/** A message that waited longer for its call than this is not sent: its caller waits. The call itself has the provider's own limit (M16). */
const WAIT_MS = 3_000

/**
 * Asked when the provider is free for the passcode. `mayStillSend`: false where another process may be sending the same order by now. `gate`: what keeps it
 * back by then (M43), null lets it go.
 */
export type Fencing = Readonly<{ mayStillSend: () => boolean; gate: () => MaybePromise<Refused | null> }>

/** Gives the passcode to its provider. Throws `DeliveryError`, or the refusal of its gate. */
export function deliverPasscode(parts: DeliveringParts, passcode: OutgoingPasscode, fencing: Fencing): Promise<Delivered> {
  const all = traces()
  if (all === null) return deliver(parts, passcode, fencing)
  return all.part({ name: 'hand over passcode', kind: 'client' }, async (span) => {
    const delivered = await deliver(parts, passcode, fencing)
    span?.set({ ...providerAttributes(delivered.provider), 'tidings.outcome': 'accepted' })
    return delivered
  })
}

async function deliver(parts: DeliveringParts, passcode: OutgoingPasscode, fencing: Fencing): Promise<Delivered> {
  const { onCall } = parts
  const { channel } = passcode
  let [provider, since, isChosen] = [parts.providers[channel].name, performance.now(), false]
  const ended = (result: string): void => onCall({ channel, provider }, result, performance.now() - since)
  const chosen = (label: string): void => {
    // The one before it cannot be used.
    if (isChosen) ended('outage')
    ;[provider, since, isChosen] = [label, performance.now(), true]
  }
  const options = { ...optionsOf(fencing), chosen }
  try {
    const accepted = await (channel === 'sms' ? sendText(parts, passcode, options) : makeCall(parts, passcode, options))
    ended('accepted')
    return accepted
  } catch (error) {
    if (error instanceof DeliveryError) ended(error.failure)
    throw error
  }
}

/** The acceptance was appended a moment ago: the log is the one that was read. */
const optionsOf = ({ mayStillSend, gate }: Fencing): SendOptions => ({
  signal: AbortSignal.timeout(WAIT_MS),
  fence: () => {
    if (!mayStillSend()) throw new DeliveryError('temporary', 'another process may have taken the request over')
    const refused = judgedNow(gate)
    if (isPromise(refused)) return refused.then(letPass)
    letPass(refused)
  },
  priority: 'passcode',
})

const letPass = (refused: Refused | null): void => {
  if (refused !== null) throw refused
}

/** The own number is read before the gate, which is judged last. */
const sendText = async (parts: DeliveringParts, passcode: OutgoingPasscode, options: SendOptions): Promise<Delivered> => {
  const { sms } = parts.providers
  const { text, workspaceId, messageId, to, from } = passcode
  let ownNumber: string | null = null
  const pass = (number: string | null) => {
    ownNumber = number
    return options.fence()
  }
  const fence = () => {
    const number = parts.ownNumberOf({ workspaceId, senderId: from })
    return isPromise(number) ? number.then(pass) : pass(number)
  }
  const message = { workspaceId, messageId, to, from, body: text.body, ownNumber: () => ownNumber }
  return { provider: sms.name, ...(await sms.send(message, { ...options, fence })) }
}

const makeCall = async ({ providers }: DeliveringParts, passcode: OutgoingPasscode, options: SendOptions): Promise<Delivered> => {
  const { voice } = providers
  const { text, code, language, workspaceId, messageId, to, from } = passcode
  const call = { workspaceId, messageId, to, from, message: text.template, code, locale: language }
  return { provider: voice.name, ...(await voice.call(call, options)) }
}
