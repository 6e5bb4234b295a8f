/** The source of a contact from a form that asks for a confirmation: a stranger may have typed the address (M56). */
export const UNCONFIRMED_SIGN_UP = 'embedded_form_unconfirmed'
/** The source of a contact that bought before the store was connected (M54). */
export const STORE_HISTORY = 'store_history'

const QUIET: readonly string[] = [UNCONFIRMED_SIGN_UP, STORE_HISTORY]

/** Whether a contact that was created by this source enters no `contact_created` flow by its creation. */
export function isQuietSource(source: string): boolean {
  return QUIET.includes(source)
}
