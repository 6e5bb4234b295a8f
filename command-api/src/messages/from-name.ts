import { singleLine } from '@tidings/domain'

/** The first name that says something, on one line as a header needs it; null for the bare address (decisions.md N526, M3). */
export const fromName = (...candidates: readonly (string | null | undefined)[]): string | null => {
  for (const candidate of candidates) {
    const name = singleLine(candidate ?? '').trim()
    if (name !== '') return name
  }
  return null
}
