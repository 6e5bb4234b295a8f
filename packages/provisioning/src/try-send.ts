import type { KnownContact } from '@tidings/directory'
import {
  type ContactState,
  type FlowChannel,
  type Instruction,
  marketingRefusal,
  mergeValues,
  Refused,
  renderPush,
  renderSms,
  smsCredits,
  type TemplateContent,
  type TemplateId,
  template,
  templateStream,
  type WorkspaceId,
} from '@tidings/domain'
import { renderEmail } from '@tidings/mail-content'
import { templateCommands } from './plan.ts'
import type { Provisioner } from './provisioner.ts'
import type { WorkspaceFile } from './workspace-file/schema.ts'

/** What a step would do. `next`: the step that follows; `ends`: why the run would be over. */
export type TriedSend = Readonly<{ says: string; next: number | null; minutes?: number; ends?: string }>

type Trying = Readonly<{ to: Provisioner; file: WorkspaceFile; workspaceId: WorkspaceId; contact: KnownContact }>

/** What the step would send, or why nothing. */
export async function saySend(trying: Trying, instruction: Extract<Instruction, { type: 'send' }>): Promise<TriedSend> {
  const { channel, templateId, from, next } = instruction
  const { state } = trying.contact
  const address = addressOf[channel](state)
  if (address === null) return { says: `nothing: the contact has no ${WORDS[channel].address}`, next }
  const content = await contentOf(trying, templateId)
  if (content === null) return { says: 'nothing: the template is archived', next, ends: 'template_gone' }
  const { suppressions, consents } = state
  const refusal = marketingRefusal(channel, { emailSuppressions: suppressions.email, smsSuppressions: suppressions.sms, consents })
  if (refusal !== null) {
    const says = `no ${WORDS[channel].message}: ${refusal.outcome}, ${refusal.reason}`
    return { says, next, ends: refusal.reason === 'no_consent' ? 'no_consent' : 'suppressed' }
  }
  try {
    return { says: `${rendered(channel, content, state)} to ${address}${from === null ? '' : ` from ${from}`}`, next }
  } catch (error) {
    if (error instanceof Refused) return { says: `nothing: the template cannot be rendered (${error.code})`, next }
    throw error
  }
}

const WORDS = {
  email: { message: 'mail', address: 'email address' },
  sms: { message: 'text', address: 'phone number' },
  push: { message: 'push', address: 'browser that is registered' },
} as const satisfies Readonly<Record<FlowChannel, unknown>>

const addressOf: Readonly<Record<FlowChannel, (state: ContactState) => string | null>> = {
  email: ({ email }) => email,
  sms: ({ phone }) => phone,
  push: ({ browsers: { length } }) => (length === 0 ? null : `${length} ${length === 1 ? 'browser' : 'browsers'}`),
}

const rendered = (channel: FlowChannel, content: TemplateContent, { email, phone, details }: ContactState): string => {
  const { firstName, lastName, customProperties } = details
  const links = channel === 'email' ? { unsubscribeUrl: () => 'https://unsubscribe.example' } : null
  const values = mergeValues({ firstName, lastName, email, phone, customProperties }, {}, links)
  if (channel === 'email') return `mails "${renderEmail(content, values).content.subject}"`
  if (channel === 'push') return content.push === null ? 'shows nothing' : `shows "${renderPush(content.push, values).title}"`
  const body = renderSms(content.body ?? '', values)
  const credits = smsCredits(body)
  return `texts "${body}", ${credits} ${credits === 1 ? 'credit' : 'credits'},`
}

/** The template as the file would make it, else as it is; null if it is archived. */
const contentOf = async ({ to, workspaceId, file }: Trying, templateId: TemplateId): Promise<TemplateContent | null> => {
  const made = templateCommands(workspaceId, file).find(({ data }) => data.templateId === templateId)?.data
  if (made !== undefined) return made.archived ? null : made
  const known = await to.load(workspaceId, template, templateStream(workspaceId, templateId))
  return known.archived ? null : known.content
}
