import { vi } from 'vitest'

/** Waits until the check throws no more; only a failing test waits 15 s. Vitest itself waits a second, which a busy machine uses up. */
export function until(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 15_000, interval: 20 })
}
