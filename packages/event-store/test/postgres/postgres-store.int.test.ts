import { migrate } from '@tidings/postgres'
import { PATIENT_MS, patientPool, startTestPostgres } from '@tidings/testing'
import { postgresEventStore } from '../../src/postgres/postgres-store.ts'
import { eventStoreContract } from '../contract/contract.ts'

eventStoreContract('the Postgres adapter', {
  capabilities: {
    knownIdAtNewRevision: 'refused',
    sameIdInOtherStream: 'refused',
    tellsDuplicates: true,
    placesHiddenRepetitions: true,
    densePositions: true,
    issueOrder: true,
    appendsTogether: true,
    readsMatching: true,
    readsPastLimits: true,
    readsByStream: true,
    secondInstance: true,
    connectionLoss: true,
    restart: true,
    leaderChange: false,
    openTransactions: true,
  },
  open: async () => {
    const server = await startTestPostgres()
    const pool = patientPool({ url: server.url, max: 8, name: 'contract' })
    await migrate(pool)
    const window = { maxEvents: 64 }
    const store = postgresEventStore({ pool, window, appendDeadlineMs: PATIENT_MS })
    return {
      store,
      another: async () => postgresEventStore({ pool, window, appendDeadlineMs: PATIENT_MS }),
      loseConnections: async () => {
        await pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name in ('tidings-append', 'tidings-tail') and datname = current_database()`,
        )
      },
      restart: async () => {
        await server.kill()
        await server.start()
      },
      openWriteTransaction: async () => {
        const client = await pool.connect()
        await client.query('begin; create table unrelated (n int); insert into unrelated values (1)')
        return async () => {
          await client.query('rollback')
          client.release()
        }
      },
      close: async () => {
        await store.close()
        await pool.end()
        await server.stop()
      },
    }
  },
})
