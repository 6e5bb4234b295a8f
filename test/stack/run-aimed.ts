import { describe, vi } from 'vitest'
import type { Aim } from '../e2e/support/aim.ts'

/** Those that together touch every part: writing, projecting, sending, receipts, and what another process must see. */
const FILES = {
  'a first email': () => import('../e2e/first-email.e2e.test.ts'),
  sending: () => import('../e2e/send-email.e2e.test.ts'),
  receipts: () => import('../e2e/receipts.e2e.test.ts'),
  'repeated requests': () => import('../e2e/idempotency.e2e.test.ts'),
  'concurrent requests': () => import('../e2e/concurrency.e2e.test.ts'),
  'what reads agree on': () => import('../e2e/reads-agree.e2e.test.ts'),
} as const satisfies Readonly<Record<string, () => Promise<unknown>>>

/** Runs end-to-end files against a service of several processes; `TIDINGS_E2E=… npm run e2e` runs all of them. */
export const runAimed = (aimed: Aim): void => {
  process.env.TIDINGS_E2E = aimed
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 })
  // One after the other, each with hooks of its own: so one installation runs at a time.
  for (const [name, load] of Object.entries(FILES)) {
    describe(name, async () => {
      await load()
    })
  }
}
