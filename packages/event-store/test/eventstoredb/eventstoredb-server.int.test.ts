import { leftOut } from '@tidings/testing'
import { dockerAnswers, PATIENT_TIMES, startEventStoreContainer } from '@tidings/testing/eventstoredb'
import { expect, test } from 'vitest'
import { eventStoreDbStore } from '../../src/eventstoredb/eventstoredb-store.ts'
import { eventStoreContract } from '../contract/contract.ts'
import { CAPABILITIES } from './capabilities.testing.ts'

const here = await dockerAnswers()

test('the contract on the real server runs, or its absence is reported', () => {
  expect(here || leftOut('eventstoredb-docker', 'Docker does not answer, so there is no real EventStoreDB.')).toBe(here)
})

if (here) {
  eventStoreContract('the EventStoreDB adapter on EventStoreDB', {
    capabilities: CAPABILITIES,
    open: async () => {
      const server = await startEventStoreContainer()
      const open = () => eventStoreDbStore({ connectionString: server.connectionString, times: PATIENT_TIMES, window: { maxEvents: 64 } })
      const store = open()
      return {
        store,
        another: async () => open(),
        restart: server.restart,
        close: async () => {
          await store.close()
          await server.stop()
        },
      }
    },
  })
}
