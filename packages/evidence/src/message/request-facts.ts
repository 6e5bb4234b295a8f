import type { Recorded } from '@tidings/codec'
import type { WorkspaceEvent } from '@tidings/domain'
import { actorName } from '../actor-name.ts'
import { type Fact, factOf } from '../fact.ts'
import { type Accepted, idOfActor, type KnownMessage } from './known-message.ts'

/** Facts about the request for the message: the caller and what it asked for (D5). `workspace`: the events of its stream. */
export function requestFacts({ accepted }: KnownMessage, workspace: readonly Recorded<WorkspaceEvent>[]): readonly Fact[] {
  const asked = [askedBy(accepted, workspace), `request ${accepted.meta.requestId}`]
  const ip = 'ip' in accepted.data ? accepted.data.ip : null
  if (ip) asked.push(`from ${ip}`)
  if (accepted.ended?.includes('client')) asked.push('from an address that retention has ended')
  return [factOf(accepted, `accepted ${whatOf(accepted)}; asked by ${asked.join(', ')}`)]
}

const askedBy = (accepted: Recorded<Accepted>, workspace: readonly Recorded<WorkspaceEvent>[]): string => {
  const keyId = idOfActor(accepted, 'key')
  const created = workspace.find((event) => event.type === 'ApiKeyCreated' && event.data.keyId === keyId)
  const name = created?.type === 'ApiKeyCreated' ? ` "${created.data.name}"` : ''
  if (keyId !== null) return `API key${name} ${keyId}`
  const campaignId = idOfActor(accepted, 'campaign-test')
  return campaignId === null ? actorName(accepted.meta.actor) : `operator, as a test of campaign ${campaignId}`
}

const whatOf = (accepted: Recorded<Accepted>): string => {
  switch (accepted.type) {
    case 'EmailAccepted':
      return `${accepted.data.kind} email${to(accepted.data)}${from(accepted.data.fromEmail)}`
    case 'SmsAccepted':
      return `${accepted.data.kind} sms${to(accepted.data)}${from(accepted.data.from)} for ${accepted.data.credits} credits`
    case 'PushAccepted':
      return `${accepted.data.kind} push`
    case 'PasscodeAccepted':
      return `a passcode by ${accepted.data.channel}${to(accepted.data)}${from(accepted.data.from)} for ${accepted.data.credits} credits`
    default:
      return accepted satisfies never
  }
}

/** Null once the recipient is erased, whatever the type says. */
const to = (data: Readonly<{ to: string | null }>): string => (data.to === null ? '' : ` to ${data.to}`)
const from = (sender: string | null): string => (sender === null ? '' : ` from ${sender}`)
