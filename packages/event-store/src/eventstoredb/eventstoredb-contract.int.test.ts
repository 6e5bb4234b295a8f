import { startEventStoreFixture } from '@tidings/testing/eventstoredb'
import { type Capabilities, eventStoreContract } from '../contract/contract.ts'
import { eventStoreDbStore } from './eventstoredb-store.ts'

/** What EventStoreDB is, whoever serves it. Repetitions are told only where this process has seen the first time. */
const CAPABILITIES: Capabilities = {
  knownIdAtFreshRevision: 'appends',
  sameIdInOtherStream: 'appends',
  tellsDuplicates: false,
  placesHiddenRepetitions: false,
  densePositions: false,
  issueOrder: true,
  secondInstance: true,
  connectionLoss: true,
  restart: true,
  leaderChange: false,
  openTransactions: false,
}

eventStoreContract('the EventStoreDB adapter on the fixture', {
  capabilities: { ...CAPABILITIES, leaderChange: true },
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
