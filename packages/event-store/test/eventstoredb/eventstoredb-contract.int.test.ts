import { PATIENT_TIMES, startEventStoreCluster } from '@tidings/testing/eventstoredb'
import { eventStoreDbStore } from '../../src/eventstoredb/eventstoredb-store.ts'
import { eventStoreContract } from '../contract/contract.ts'
import { CAPABILITIES } from './capabilities.testing.ts'

eventStoreContract('the EventStoreDB adapter on the fixture', {
  capabilities: { ...CAPABILITIES, connectionLoss: true, leaderChange: true },
  open: async () => {
    const cluster = await startEventStoreCluster()
    const open = () => eventStoreDbStore({ connectionString: cluster.connectionString, times: PATIENT_TIMES, window: { maxEvents: 64 } })
    const store = open()
    return {
      store,
      another: async () => open(),
      loseConnections: async () => {
        for (const node of cluster.nodes) node.cut()
      },
      restart: async () => {
        await cluster.leader().stop()
        await cluster.leader().start()
      },
      // With what is under way: the leader truncates it when it meets the others, and ends.
      changeLeader: async () => {
        cluster.cutOffLeader()
        cluster.depose()
        if (await cluster.reunite()) await cluster.startAgain()
      },
      close: async () => {
        await store.close()
        await cluster.close()
      },
    }
  },
})
