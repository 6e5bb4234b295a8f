import type { FlowChannel } from '@tidings/domain'
import type { StepOutcome } from '@tidings/provisioning'

const CHANNELS = {
  email: { message: 'mail', address: 'email address' },
  sms: { message: 'text', address: 'phone number' },
  push: { message: 'push', address: 'browser that is registered' },
} as const satisfies Readonly<Record<FlowChannel, unknown>>

type Message = Extract<StepOutcome, { type: 'sends' }>['message']

/** What a step would do, in a sentence. */
export function stepWords(outcome: StepOutcome): string {
  switch (outcome.type) {
    case 'waits':
      return `waits ${outcome.minutes} minutes`
    case 'branches':
      return outcome.isMatch ? 'the rule holds: then' : 'the rule does not hold: else'
    case 'sends':
      return messageWords(outcome.message)
    case 'no_address':
      return `nothing: the contact has no ${CHANNELS[outcome.channel].address}`
    case 'template_gone':
      return 'nothing: the template is archived'
    case 'not_allowed':
      return `no ${CHANNELS[outcome.channel].message}: ${outcome.refusal.outcome}, ${outcome.refusal.reason}`
    case 'not_rendered':
      return `nothing: the template cannot be rendered (${outcome.code})`
    default:
      return outcome satisfies never
  }
}

const messageWords = (message: Message): string => {
  if (message.channel === 'push') {
    const { browsers, title } = message
    return `shows "${title}" to ${browsers} ${browsers === 1 ? 'browser' : 'browsers'}`
  }
  const { to, from } = message
  if (message.channel === 'email') return `mails "${message.subject}" to ${to} from ${from}`
  const { body, credits } = message
  return `texts "${body}", ${credits} ${credits === 1 ? 'credit' : 'credits'}, to ${to} from ${from}`
}

/** What kind of step it is, as a workspace file calls it. */
export function stepKind({ type }: StepOutcome): 'wait' | 'branch' | 'send' {
  return type === 'waits' ? 'wait' : type === 'branches' ? 'branch' : 'send'
}
