import { runBroker } from '@tidings/testing/kafka'
import { expect, test } from 'vitest'
import { EVERYTHING_KEPT } from './everything.kept.ts'
import type { Trouble } from './everything.troubles.ts'
import { runEverything } from './everything.ts'
import { CALM_THINK_MS } from './kill-service.client.ts'

const kafka = (await runBroker()) !== null

const troubles: readonly Trouble[] = [
  'relay greets badly',
  'kill consumers',
  'relay refuses',
  'kill projectors',
  'suspend workspace',
  'kill postgres',
  ...(kafka ? (['kill broker', 'kill relay'] as const) : []),
  'kill log',
  'kill query-api',
  'cut wire to log',
  'kill command-api',
]

test('a hostile workspace, strangers without a key, a lying relay and kills, all at once: nothing is lost, doubled or stopped', async () => {
  const result = await runEverything({ kafka, troubles, clients: 2, thinkMs: CALM_THINK_MS, calmMs: 1_000, drainMs: 240_000 })
  expect(result).toMatchObject(EVERYTHING_KEPT)
  expect(result.demo.ackedSends).toBeGreaterThan(0)
  expect(result.paused.ackedSends).toBeGreaterThan(0)
  expect(result.attacks).toMatchObject({ bodies: expect.any(Number), silentNames: 20 })
}, 1_200_000)
