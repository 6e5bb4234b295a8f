import { runBroker } from '@tidings/testing/kafka'
import { describe } from 'vitest'
import { transportContract } from '../../contract/transport-contract.ts'
import { kafkaWorld } from '../../testing/kafka-world.ts'

const broker = await runBroker()

describe.runIf(broker !== null)('Kafka', () => {
  transportContract({
    name: 'Kafka',
    open: async ({ pool }, { store }) => {
      const world = kafkaWorld(broker ?? '')
      world.relay({ store, pool })
      return {
        transport: world.transport,
        position: async () => {
          const { rows } = await pool.query<{ commit: bigint | null }>('select min(position_commit) as commit from ops.consumer_partition')
          return rows[0]?.commit == null ? null : { commit: rows[0].commit, prepare: 0n }
        },
        takeAway: async () => {
          await pool.query(
            `begin; update ops.consumer_checkpoint set epoch = epoch + 1, owner = gen_random_uuid(), lease_until = 'infinity';
             update ops.consumer_partition set epoch = epoch + 1; commit`,
          )
        },
        setBack: ({ commit }) => `update ops.consumer_partition set position_commit = ${commit} where position_commit > ${commit}`,
        close: world.close,
      }
    },
  })
})
