import type { WorkspaceFile } from './schema.ts'

/** The mail that asks where the file has none of its own. It says nothing that a visitor typed. */
const BUILT_IN = {
  name: 'Confirm your sign-up',
  channel: 'email',
  subject: 'Please confirm your sign-up · אישור ההרשמה',
  html: `<p>Somebody signed up with this address. If it was you, please confirm it: <a href="{{confirmUrl}}">confirm the sign-up</a>. If not, ignore this mail.</p>
<p dir="rtl">מישהו נרשם עם הכתובת הזאת. אם זה היה מרצונך, נא לאשר: <a href="{{confirmUrl}}">אישור ההרשמה</a>. אם לא, אפשר להתעלם מההודעה.</p>`,
  text: `Somebody signed up with this address. If it was you, please confirm it: {{confirmUrl}}
If not, ignore this mail.

מישהו נרשם עם הכתובת הזאת. אם זה היה מרצונך, נא לאשר: {{confirmUrl}}
אם לא, אפשר להתעלם מההודעה.`,
} as const

const isMissing = ({ forms = [], doubleOptIn }: WorkspaceFile): boolean =>
  doubleOptIn === 'required' && !forms.some((form) => form.doubleOptIn)

/** Why a file that requires confirmations has no mail that could ask for one; null where it has. */
export function missingConfirmation(file: WorkspaceFile): string | null {
  if (!isMissing(file) || ((file.forms ?? []).length > 0 && (file.senderAddresses ?? []).length > 0)) return null
  return 'doubleOptIn: required needs a form, and a mail that asks to confirm: give a form doubleOptIn with template and from, or name senderAddresses'
}

/**
 * The file with a mail that asks to confirm, where it requires one and no form of it has any (M56): a built-in template, sent from the first
 * sender address by every form.
 */
export function withConfirmation(file: WorkspaceFile): WorkspaceFile {
  const from = file.senderAddresses?.[0]?.email
  if (!isMissing(file) || from === undefined) return file
  const { forms = [], templates = [] } = file
  const isThere = templates.some(({ name }) => name === BUILT_IN.name)
  return {
    ...file,
    templates: isThere ? templates : [...templates, BUILT_IN],
    forms: forms.map((form) => ({ ...form, doubleOptIn: true, template: BUILT_IN.name, from })),
  }
}
