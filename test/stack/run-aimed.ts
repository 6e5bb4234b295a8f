import { afterAll, beforeAll, describe } from 'vitest'
import type { Aim } from '../e2e/support/aim.ts'
import { PROVIDER_SECRET } from '../e2e/support/receipts.ts'
import { shareWorld } from '../e2e/support/world.ts'

/** Those that together touch every part: writing, projecting, sending, receipts, and what another process must see. */
const FILES = {
  // The first, because it compares what is at rest: nothing of the others may still be under way.
  'what reads agree on': () => import('../e2e/reads-agree.e2e.test.ts'),
  'a first email': () => import('../e2e/first-email.e2e.test.ts'),
  sending: () => import('../e2e/send-email.e2e.test.ts'),
  receipts: () => import('../e2e/receipts.e2e.test.ts'),
  'repeated requests': () => import('../e2e/idempotency.e2e.test.ts'),
  'concurrent requests': () => import('../e2e/concurrency.e2e.test.ts'),
} as const satisfies Readonly<Record<string, () => Promise<unknown>>>

/** What any of them sets. */
const SETTINGS = { TIDINGS_PROVIDER_SECRET: PROVIDER_SECRET, TIDINGS_WEBHOOK_ALLOW_LOCAL: '1' }

/** Runs end-to-end files against one service of several processes, which takes longer to start than most of them to run; `TIDINGS_E2E=… npm run e2e` runs all of them. */
export function runAimed(aimed: Aim): void {
  process.env.TIDINGS_E2E = aimed
  let stop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    stop = await shareWorld(SETTINGS)
  })
  afterAll(() => stop?.())
  for (const [name, load] of Object.entries(FILES)) {
    describe(name, async () => {
      await load()
    })
  }
}
