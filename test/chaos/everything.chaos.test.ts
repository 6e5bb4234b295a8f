import { runBroker } from '@tidings/testing/kafka'
import { expect, test } from 'vitest'
import { EVERYTHING_KEPT } from './everything.kept.ts'
import { troublesOf } from './everything.troubles.ts'
import { runEverything } from './everything.ts'

const SECONDS = Number(process.env.CHAOS_SECONDS ?? 1_200)
const CALM_MS = 8_000
/** A mail whose answer was lost is sent once more after ten minutes. */
const DRAIN_MS = 900_000

const kafka = (await runBroker()) !== null
const each = troublesOf({ kafka })
/** A trouble takes about as long as the calm before it, one of them longer than a lease. */
const rounds = Math.max(1, Math.round((SECONDS * 1_000) / (each.length * 2 * CALM_MS + 45_000)))

test(`everything at once, for about ${SECONDS} s: nothing is lost, doubled or stopped for others`, async () => {
  const troubles = Array.from({ length: rounds }, () => each).flat()
  const result = await runEverything({ kafka, troubles, clients: 8, calmMs: CALM_MS, drainMs: DRAIN_MS })
  console.table({ demo: result.demo, paused: result.paused })
  console.table({ attacks: result.attacks, webhooks: result.webhooks, honest: result.honest })
  expect(result).toMatchObject(EVERYTHING_KEPT)
  expect(result.demo.ackedSends).toBeGreaterThan(troubles.length)
}, 7_200_000)
