import { expect, test } from 'vitest'
import { EVERYTHING_KEPT } from './everything.kept.ts'
import type { Trouble } from './everything.troubles.ts'
import { runEverything } from './everything.ts'
import { CALM_THINK_MS } from './kill-service.client.ts'

// Each role and the log, under attack and with a relay that lies. kill-service kills Postgres and the wire to the log, kill-flows roles behind Kafka, kafka-torture the broker, and the long form plays all.
const troubles: readonly Trouble[] = [
  'relay refuses',
  'kill consumers',
  'kill projectors',
  'suspend workspace',
  'kill log',
  'kill query-api',
  'kill command-api',
]

/** A body of 8 MiB costs half a second of CPU to parse. */
const BODIES_PAUSE_MS = 4_000

test('a hostile workspace, strangers without a key, a lying relay and kills, all at once: nothing is lost, doubled or stopped', async () => {
  const result = await runEverything({
    kafka: false,
    troubles,
    clients: 2,
    thinkMs: CALM_THINK_MS,
    calmMs: 1_000,
    drainMs: 240_000,
    bodiesPauseMs: BODIES_PAUSE_MS,
  })
  expect(result).toMatchObject(EVERYTHING_KEPT)
  expect(result.demo.ackedSends).toBeGreaterThan(0)
  expect(result.paused.ackedSends).toBeGreaterThan(0)
  expect(result.attacks.bodies).toBeGreaterThan(1)
  expect(result.attacks.silentNames).toBe(20)
}, 1_200_000)
