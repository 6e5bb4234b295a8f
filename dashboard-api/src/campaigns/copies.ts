import { NoCopy, type NoCopyReason } from '@tidings/administration'
import { type ApiRefusalCode, type CampaignChannel, Refused } from '@tidings/domain'

/** The code that answers each reason for which there is no copy; a reason that depends on the channel has one of each. */
const CODES: Readonly<Record<NoCopyReason, ApiRefusalCode | Readonly<Record<CampaignChannel, ApiRefusalCode>>>> = {
  contact_gone: 'contact_not_found',
  no_address: { email: 'recipient_email_missing', sms: 'recipient_phone_missing' },
  template_gone: 'template_not_found',
  template_render_failed: 'template_render_failed',
  no_valid_sender: { email: 'sender_inbox_not_verified', sms: 'sender_id_not_approved' },
  suspended: 'workspace_not_active',
  unknown_variant: 'campaign_variant_not_found',
  wrong_address: { email: 'invalid_email', sms: 'invalid_phone' },
  text_of_another: 'invalid_phone',
}

export const COPY_REFUSALS = [
  'campaign_not_found',
  ...new Set(Object.values(CODES).flatMap((code) => (typeof code === 'string' ? [code] : Object.values(code)))),
] as const

/** Answers with a code where there is no copy. */
export async function copyOrRefusal<Copy>(channel: CampaignChannel, making: Promise<Copy>): Promise<Copy> {
  try {
    return await making
  } catch (error) {
    if (!(error instanceof NoCopy)) throw error
    const code = CODES[error.reason]
    throw new Refused(typeof code === 'string' ? code : code[channel])
  }
}
