import { NoCopy } from '@tidings/administration'
import type { CampaignCopy, NotCopied } from './make-copy.ts'

const sentences: Readonly<Record<NotCopied, string>> = {
  contact_gone: 'There is no such contact.',
  no_address: 'The contact has no address for the channel of the campaign.',
  template_gone: 'The campaign has no template, or one that is archived.',
  template_render_failed: 'The template cannot be rendered for the contact.',
  no_valid_sender: 'The campaign has no sender that may be used: a verified address, or an approved sender ID.',
  suspended: 'The workspace is suspended.',
  unknown_variant: 'The campaign has no such variant.',
}

/** Throws one sentence where there is no copy. */
export function madeOrFail(copy: CampaignCopy | NotCopied): CampaignCopy {
  if (typeof copy === 'string') throw new NoCopy(copy, sentences[copy])
  return copy
}
