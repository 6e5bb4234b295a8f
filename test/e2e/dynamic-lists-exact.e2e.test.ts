import { randomUUID } from 'node:crypto'
import type { Transport } from '@tidings/bus'
import { kafkaTransport } from '@tidings/bus/kafka'
import { createCommandRunner } from '@tidings/commands'
import { startDynamicLists } from '@tidings/consumers'
import { asWorkspaceId } from '@tidings/domain'
import { logTo } from '@tidings/observability/log'
import { readSide } from '@tidings/projections'
import { PATIENT_MS } from '@tidings/testing'
import { runBroker } from '@tidings/testing/kafka'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aim } from './support/aim.ts'
import { listHistory, rounds } from './support/list-history.ts'
import { actualMembers, expectedMembers, untilSettled } from './support/list-members.ts'
import { startWorld, type World } from './support/world.ts'

const SILENT = logTo({ write: () => undefined }, 'silent')

/** A second process beside the service, in whose runs two contacts are a page. */
const startBeside = ({ stores: { log, pool } }: World, transport: Readonly<{ transport?: Transport }>) => {
  const reads = readSide({ pool })
  const lists = startDynamicLists({
    ...{ log, pool, requestPool: pool, commands: createCommandRunner({ log, deadlineMs: PATIENT_MS }), reads, logger: SILENT },
    ...{ pageOf: 2, idleMs: 50, ...transport },
  })
  return {
    stop: async () => {
      await lists.stop()
      await reads.close()
    },
  }
}

const broker = await runBroker()
const kafka = { brokers: [broker ?? ''], prefix: `lists-${randomUUID()}`, partitions: 3 }
const ENV = { TIDINGS_KAFKA_BROKERS: broker ?? '', TIDINGS_KAFKA_PREFIX: kafka.prefix, TIDINGS_KAFKA_PARTITIONS: '3' }
const TRANSPORTS = [
  { name: 'from the log', env: {}, isHere: !aim().includes('kafka'), transport: {} },
  // Partitions have no order among each other: a rule may come before or after the changes that were made before it.
  {
    name: 'over Kafka',
    env: ENV,
    isHere: broker !== null && aim() === 'embedded',
    transport: { transport: kafkaTransport(kafka) } satisfies Readonly<{ transport: Transport }>,
  },
] as const

describe.each(TRANSPORTS)('after any history that comes $name', ({ env, isHere, transport }) => {
  let world: World
  let beside: ReturnType<typeof startBeside>
  beforeAll(async () => {
    if (!isHere) return
    world = await startWorld(env)
    beside = startBeside(world, transport)
  })
  afterAll(async () => {
    await beside?.stop()
    await world?.stop()
  })

  it.runIf(isHere)(
    'in steps one after the other or several at once, the members are those whom a look at everybody finds',
    async () => {
      const { stores } = world
      const runner = createCommandRunner({ log: stores.log, deadlineMs: PATIENT_MS })
      await fc.assert(
        fc.asyncProperty(rounds, async (all) => {
          const workspaceId = asWorkspaceId(randomUUID())
          const { take, rules } = listHistory(workspaceId, runner)
          for (const steps of all) await Promise.all(steps.map((one) => take(one)))
          await untilSettled(stores, workspaceId)
          const wanted = await expectedMembers(stores, workspaceId, rules)
          expect((await actualMembers(stores, workspaceId)).toSorted()).toEqual(wanted.toSorted())
        }),
        { numRuns: 8, endOnFailure: true },
      )
      const sql = `select relay is not null as "readsTopic" from ops.consumer_checkpoint where consumer_group = 'dynamic-lists'`
      expect((await stores.pool.query(sql)).rows).toEqual([{ readsTopic: 'transport' in transport }])
    },
    300_000,
  )
})
