import { mergeFields, mergeParts, type TemplateChannel } from '@tidings/domain'
import { htmlMergeParts } from '@tidings/mail-content'

export type ConfirmationMail = Readonly<{ channel: TemplateChannel; html: string | null; text: string | null }>

/** Why a template cannot ask the owner of an address to confirm a sign-up; null where it can. */
export function confirmationMistake(name: string, mail: ConfirmationMail): string | null {
  if (mail.channel !== 'email') return `"${name}" is for ${mail.channel}, the confirmation is an email`
  if (!leadsToConfirmation(mail)) return `"${name}" must have the link {{confirmUrl}}, in its html and in its text if it has one`
  return null
}

const leadsToConfirmation = ({ html, text }: ConfirmationMail): boolean =>
  [htmlMergeParts(html ?? ''), ...(text === null ? [] : [mergeParts(text)])].every((parts) => mergeFields(parts).includes('confirmUrl'))
