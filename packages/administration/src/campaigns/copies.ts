import { OperationFailed } from '@tidings/config'
import type { ContactId, MessageId, TemplateId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { KnownCampaign } from './known-campaign.ts'

/** The reason why there is no copy of a campaign for somebody. */
export type NoCopyReason =
  | 'no_valid_sender'
  | 'template_gone'
  | 'contact_gone'
  | 'no_address'
  | 'template_render_failed'
  | 'suspended'
  | 'unknown_variant'
  | 'wrong_address'
  | 'text_of_another'

/** There is no copy. One sentence for the command line; a route answers by the reason. */
export class NoCopy extends OperationFailed {
  readonly reason: NoCopyReason
  constructor(reason: NoCopyReason, sentence: string) {
    super(sentence)
    this.reason = reason
  }
}

/** `contactId`: for whom it is made. `variant`: counted from 0; by default the one that the contact gets. */
export type OneCopy = Omit<KnownCampaign, 'name'> & Readonly<{ contactId: ContactId; variant?: number }>

/** What a contact would get. A text has a body and its price, a mail the rest. */
type PreviewedMessage = Readonly<{ variant: number; templateId: TemplateId; to: string; from: string }> &
  (
    | Readonly<{ channel: 'email'; fromName: string | null; subject: string; html: string; text: string | null }>
    | Readonly<{ channel: 'sms'; body: string; credits: number; segments: number }>
  )

/** `until`: when a message that waits is judged again, ISO. */
export type PreviewBlock = Readonly<{ outcome: 'suppressed' | 'skipped' | 'waits'; reason: string; until: string | null }>

/** `block`: the reason that would block it now; null where there is none. */
export type CampaignPreview = Readonly<{ message: PreviewedMessage; block: PreviewBlock | null; unsubscribeUrl: string }>

/** The request that asks for a copy; its repetition sends no second one. */
type AskedBy = Readonly<{ commandId: string; requestId: string }>

/** `to`: an email address or a phone number. `contactId`: whose values it has; by default those of who has the address. */
export type TestCopy = Omit<OneCopy, 'contactId'> & Readonly<{ to: string; contactId?: ContactId; asked?: AskedBy }>
export type SentCopy = Readonly<{ messageId: MessageId; contactId: ContactId; to: string; variant: number; position: Position | null }>

/** One copy of a campaign, made by the code that sends it. */
export type CampaignCopies = Readonly<{
  preview: (of: OneCopy) => Promise<CampaignPreview>
  sendTest: (wanted: TestCopy) => Promise<SentCopy>
}>
