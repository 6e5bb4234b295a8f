import {
  type ContactState,
  type FlowChannel,
  type Instruction,
  isReservedMergeKey,
  type Json,
  type MarketingRefusal,
  marketingRefusal,
  mergeValues,
  Refused,
  renderPush,
  renderSms,
  smsCredits,
  type TemplateContent,
  type TemplateId,
} from '@tidings/domain'
import { renderEmail } from '@tidings/mail-content'
import type { WalkedPerson } from './walked-person.ts'

/** `template`: null of one that is archived. `properties`: of the event that lets the person in. */
export type Sending = Readonly<{
  person: WalkedPerson
  template: (templateId: TemplateId) => Promise<TemplateContent | null>
  properties: Readonly<Record<string, Json>>
}>

type TriedMessage =
  | Readonly<{ channel: 'email'; to: string; from: string; subject: string }>
  | Readonly<{ channel: 'sms'; to: string; from: string; body: string; credits: number }>
  | Readonly<{ channel: 'push'; browsers: number; title: string }>

/** What the step sends, or why nothing. */
export type SendOutcome =
  | Readonly<{ type: 'sends'; message: TriedMessage }>
  | Readonly<{ type: 'no_address'; channel: FlowChannel }>
  | Readonly<{ type: 'template_gone' }>
  | Readonly<{ type: 'not_allowed'; channel: FlowChannel; refusal: MarketingRefusal }>
  | Readonly<{ type: 'not_rendered'; code: string }>

export type SendInstruction = Extract<Instruction, { type: 'send' }>

/** In the order of a run: the message is made first, and its lane judges it then (D12). */
export async function trySend(sending: Sending, instruction: SendInstruction): Promise<SendOutcome> {
  const { channel, templateId } = instruction
  const { state } = sending.person
  if (!hasAddress[channel](state)) return { type: 'no_address', channel }
  const content = await sending.template(templateId)
  if (content === null) return { type: 'template_gone' }
  const { suppressions, consents } = state
  try {
    const message = rendered(sending, instruction, content)
    const refusal = marketingRefusal(channel, { emailSuppressions: suppressions.email, smsSuppressions: suppressions.sms, consents })
    return refusal === null ? { type: 'sends', message } : { type: 'not_allowed', channel, refusal }
  } catch (error) {
    if (error instanceof Refused) return { type: 'not_rendered', code: error.code }
    throw error
  }
}

const hasAddress: Readonly<Record<FlowChannel, (state: ContactState) => boolean>> = {
  email: ({ email }) => email !== null,
  sms: ({ phone }) => phone !== null,
  push: ({ browsers }) => browsers.length > 0,
}

/** Properties of an event name neither the person nor what compliance needs (G24). */
const rendered = (
  { person: { state }, properties }: Sending,
  { channel, from }: SendInstruction,
  content: TemplateContent,
): TriedMessage => {
  const { email, phone, details, browsers } = state
  const { firstName, lastName, customProperties } = details
  const links = channel === 'email' ? { unsubscribeUrl: () => 'https://unsubscribe.example' } : null
  const named = Object.fromEntries(Object.entries(properties).filter(([key]) => !isReservedMergeKey(key)))
  const values = mergeValues({ firstName, lastName, email, phone, customProperties }, named, links)
  if (channel === 'email') return { channel, to: email ?? '', from: from ?? '', subject: renderEmail(content, values).content.subject }
  if (channel === 'push') {
    if (content.push === null) throw new Refused('template_channel_mismatch')
    return { channel, browsers: browsers.length, title: renderPush(content.push, values).title }
  }
  const body = renderSms(content.body ?? '', values)
  return { channel, to: phone ?? '', from: from ?? '', body, credits: smsCredits(body) }
}
