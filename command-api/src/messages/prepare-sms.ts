import type { AppendContext } from '@tidings/codec'
import type { SendSmsBody } from '@tidings/contracts'
import {
  checkedSmsBody,
  type Json,
  mergeValues,
  Refused,
  renderSms,
  smsCredits,
  smsSegments,
  type TemplateId,
  type WorkspaceId,
} from '@tidings/domain'
import type { Accepting } from './accepting.ts'
import { approvedSmsSender } from './approved-sms-sender.ts'
import type { MessageContact } from './find-contact.ts'

/** One send of the API. `ip`: of the caller. */
export type SmsSending = Readonly<{ context: AppendContext; body: SendSmsBody; ip: string }>

/** The complete text that the recipient gets, and its price. */
export type PreparedSms = Readonly<{ from: string; body: string; credits: number; segments: number; templateId: TemplateId | null }>

/**
 * Checks the sender, renders, and checks the credits: refusals come in the contract's order (rule 2). `contact` is null for a number that no
 * contact has: its merge tags are empty (rule 5). Writes nothing.
 */
export async function prepareSms(deps: Accepting, sending: SmsSending, contact: MessageContact | null): Promise<PreparedSms> {
  const { body, context } = sending
  const { workspaceId } = context
  const from = approvedSmsSender(await deps.directory.workspace(workspaceId), body.senderId)
  const { templateId } = body
  const text = templateId === undefined ? checkedSmsBody(body.body ?? '') : await renderTemplate(deps, sending, { templateId, contact })
  const credits = smsCredits(text)
  await checkCredits(deps, workspaceId, credits)
  return { from, body: text, credits, segments: smsSegments(text), templateId: templateId ?? null }
}

/** The merge tags are resolved at acceptance: a later change of the template changes nothing that was accepted. */
async function renderTemplate(
  { directory }: Accepting,
  { context, body }: SmsSending,
  { templateId, contact }: Readonly<{ templateId: TemplateId; contact: MessageContact | null }>,
): Promise<string> {
  const template = await directory.template(context.workspaceId, templateId)
  if (template === null || template.archived) throw new Refused('template_not_found')
  if (template.channel !== 'sms') throw new Refused('template_channel_mismatch')
  // The cast holds: the fields were parsed from JSON.
  const fields = (body.templateFields ?? {}) as Readonly<Record<string, Json>>
  return renderSms(template.content.body ?? '', mergeValues(contact, fields))
}

/** Accepts on what this process knows; refuses only on what the log says now. The hold, when it is sent, decides (G43). */
async function checkCredits({ credits }: Accepting, workspaceId: WorkspaceId, price: number): Promise<void> {
  if ((await credits.available(workspaceId)) >= price) return
  const available = await credits.availableNow(workspaceId)
  if (available < price) throw new Refused('insufficient_credits', { required: price, available })
}
