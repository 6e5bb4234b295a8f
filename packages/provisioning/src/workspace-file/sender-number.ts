import { normalizePhone } from '@tidings/addresses'
import type { WorkspaceFile } from './schema.ts'

/** The own number of a sender ID in E.164 (M48), null for none; undefined for what is no number. A local one is one of the country that the file names. */
export function senderNumber(number: unknown, { country = '' }: Pick<WorkspaceFile, 'country'>): string | null | undefined {
  if (number === null || number === undefined) return null
  return typeof number === 'string' ? (normalizePhone(number, country) ?? undefined) : undefined
}

/** The mistakes of numbers: one that no sender ID can have, and one behind two sender IDs. YAML reads a number without quotes as a figure, and drops what a figure does not have. */
export function* wrongSenderNumbers(file: WorkspaceFile): Iterable<string> {
  const seen = new Map<string, number>()
  for (const [i, { number }] of (file.smsSenderIds ?? []).entries()) {
    const path = `smsSenderIds[${i}].number`
    const read = senderNumber(number, file)
    if (typeof number === 'number') yield `${path} must be in quotes, like "+972501110000"`
    const shown = typeof number === 'string' && number.length <= 64 ? `: "${number}"` : ''
    if (read === undefined) yield `${path}${shown} is no phone number: write it with its country, like "+972501110000"`
    if (read === null || read === undefined) continue
    const before = seen.get(read)
    if (before !== undefined) yield `${path}: ${read} is the number of smsSenderIds[${before}] too: one number is behind one sender ID`
    seen.set(read, i)
  }
}
