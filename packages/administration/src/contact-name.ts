import { validEmail, writtenNumber } from '@tidings/addresses'
import { asContactId, type ContactId, isUuid } from '@tidings/domain'

/** A phone is as it was typed: its local form is read by the country of the workspace. */
export type ContactName = Readonly<{ kind: 'id'; value: ContactId } | { kind: 'email' | 'phone'; value: string }>

/** Reads what a person types to name a contact (M65). Null where that can be no contact of any workspace. */
export function parseContactName(text: string): ContactName | null {
  const trimmed = text.trim()
  if (isUuid(trimmed)) return { kind: 'id', value: asContactId(trimmed.toLowerCase()) }
  const email = validEmail(trimmed)
  if (email !== null) return { kind: 'email', value: email }
  return /^\+?\d{5,15}$/.test(writtenNumber(trimmed)) ? { kind: 'phone', value: trimmed } : null
}
