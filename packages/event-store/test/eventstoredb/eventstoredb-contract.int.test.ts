import { startEventStoreFixture } from '@tidings/testing/eventstoredb'
import { eventStoreDbStore } from '../../src/eventstoredb/eventstoredb-store.ts'
import { eventStoreContract } from '../contract/contract.ts'
import { CAPABILITIES } from './capabilities.testing.ts'

eventStoreContract('the EventStoreDB adapter on the fixture', {
  capabilities: { ...CAPABILITIES, connectionLoss: true, leaderChange: true },
  open: async () => {
    const first = await startEventStoreFixture()
    const second = await startEventStoreFixture({ log: first.log })
    const open = () => eventStoreDbStore({ connectionString: first.connectionString, window: { maxEvents: 64 } })
    const store = open()
    let [leader, follower] = [first, second]
    return {
      store,
      another: async () => open(),
      loseConnections: async () => {
        for (const node of [first, second]) node.cut()
      },
      restart: async () => {
        await leader.stop()
        await leader.start()
      },
      changeLeader: async () => {
        ;[leader, follower] = [follower, leader]
        leader.faults.notLeader = undefined
        follower.faults.notLeader = { host: '127.0.0.1', port: leader.port }
        follower.failSubscriptions()
      },
      close: async () => {
        await store.close()
        for (const node of [first, second]) await node.close()
      },
    }
  },
})
