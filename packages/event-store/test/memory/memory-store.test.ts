import { memoryEventStore } from '../../src/memory/memory-store.ts'
import { eventStoreContract } from '../contract/contract.ts'

eventStoreContract('the memory adapter', {
  capabilities: {
    knownIdAtNewRevision: 'refused',
    sameIdInOtherStream: 'refused',
    tellsDuplicates: true,
    placesHiddenRepetitions: true,
    densePositions: true,
    issueOrder: true,
    appendsTogether: true,
    readsMatching: false,
    readsPastLimits: true,
    readsByStream: true,
    secondInstance: false,
    connectionLoss: false,
    restart: false,
    leaderChange: false,
    openTransactions: false,
  },
  open: async () => {
    const store = memoryEventStore({ window: { maxEvents: 64 } })
    return { store, close: store.close }
  },
})
