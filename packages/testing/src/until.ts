import { vi } from 'vitest'

/** Longer than any machine needs, and shorter than a test may take. A limit of the product that a test does not test is so long. */
export const PATIENT_MS = 180_000

/** Waits until the check throws no more, and resolves with its result; what the check says last is what a failing test shows. Vitest itself waits a second, which a busy machine uses up. */
export function until<T>(check: () => T | Promise<T>, everyMs = 50): Promise<T> {
  return vi.waitFor(check, { timeout: PATIENT_MS, interval: everyMs })
}
