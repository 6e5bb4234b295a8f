import type { Recorded } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import type { CampaignEvent, CampaignId, CampaignState, ContactId, WorkspaceId } from '@tidings/domain'
import type { makeCopy, NotCopied } from './make-copy.ts'

/** `contactId`: for whom it is made. `variant`: counted from 0; by default the one that the contact gets. */
export type OneCopy = Readonly<{
  workspaceId: WorkspaceId
  campaignId: CampaignId
  state: NonNullable<CampaignState>
  events: readonly Recorded<CampaignEvent>[]
  contactId: ContactId
  variant?: number
}>

type MadeCopy = Awaited<ReturnType<typeof makeCopy>>

const sentences: Readonly<Record<NotCopied, string>> = {
  contact_gone: 'There is no such contact.',
  no_address: 'The contact has no address for the channel of the campaign.',
  template_gone: 'The campaign has no template, or one that is archived.',
  template_render_failed: 'The template cannot be rendered for the contact.',
  no_audience: 'The campaign has no audience.',
  no_valid_sender: 'The campaign has no sender that may be used: a verified address, or an approved sender ID.',
  provider_refused: 'The provider took none of its messages.',
  suspended: 'The workspace is suspended.',
  unknown_variant: 'The campaign has no such variant.',
}

/** One sentence where there is no copy. */
export function madeOrFail(copy: MadeCopy): Exclude<MadeCopy, NotCopied> {
  if (typeof copy === 'string') throw new OperationFailed(sentences[copy])
  return copy
}
