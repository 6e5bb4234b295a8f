import { loadConfig } from '@tidings/config'
import { START } from '@tidings/event-store'
import { logTo } from '@tidings/observability/log'
import { countConnections } from '@tidings/postgres'
import { processHeartbeat } from '@tidings/projections'
import { patientPool, startTestPostgres, type TestPostgres, testDatabase, until } from '@tidings/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectDatabase } from '../../src/stores/connect-database.ts'
import {
  checkConnections,
  connectionsOfProcess,
  tooFewConnections,
  warnOfTooFewConnections,
  watchConnections,
} from '../../src/stores/connections-left.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startTestPostgres({ durable: false, settings: { max_connections: '12', superuser_reserved_connections: '3' } })
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query("create role plain login password 'plain'")
  await client.end()
})
afterAll(() => postgres.stop())

const plain = () => {
  const url = new URL(postgres.url)
  url.username = 'plain'
  url.password = 'plain'
  return url.href
}

test('a process says before its pools fill that the server has too few, in numbers', async () => {
  const lines: string[] = []
  const pool = patientPool({ url: plain(), max: 1, name: 'test' })
  try {
    // The server counts a connection for a moment after its client has ended it.
    await expect.poll(() => countConnections(pool)).toEqual({ limit: 9, used: 1, strange: 1 })
    const log = logTo({ write: (line: string) => void lines.push(line) }, 'info')
    await warnOfTooFewConnections({ pool, poolSize: 3, log })
    expect(lines).toEqual([])
    await warnOfTooFewConnections({ pool, poolSize: 10, log })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(
      'takes up to 23 connections (2 pools of TIDINGS_DATABASE_POOL_SIZE=10 and 3 more), and Postgres has 9. Raise max_connections',
    )
    expect(lines[0]).toContain('"level":"warn"')
  } finally {
    await pool.end()
  }
})

test('a limit of the login is counted where it is the tighter one', async () => {
  const pool = patientPool({ url: postgres.url, max: 1, name: 'test' })
  const limited = patientPool({ url: plain(), max: 1, name: 'test' })
  try {
    await pool.query('alter role plain connection limit 4')
    await expect.poll(() => countConnections(limited)).toEqual({ limit: 4, used: 1, strange: 1 })
    await pool.query('alter role plain connection limit -1')
  } finally {
    await Promise.all([pool.end(), limited.end()])
  }
})

test('a start that finds every connection taken says so, and how to mend it', async () => {
  const clients: pg.Client[] = []
  const connect = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: plain() })
    await client.connect()
    clients.push(client)
  }
  try {
    // Those of the tests before may have their places for a moment.
    for (let n = 0; n < 9; n++) await until(connect)
    const config = loadConfig({ TIDINGS_DATABASE_URL: plain(), TIDINGS_MASTER_KEY: '0'.repeat(64) }, null)
    const silent = logTo({ write: () => undefined }, 'silent')
    const refused = connectDatabase(config, silent, 'service')
    await expect(refused).rejects.toThrow(
      /cannot be used: every connection of Postgres is taken \(.*\)\. Raise its max_connections, or lower TIDINGS_DATABASE_POOL_SIZE/,
    )
    await expect(refused).rejects.not.toThrow('plain:plain')
  } finally {
    for (const client of clients) await client.end()
  }
})

test('several processes need as many times the connections of one', () => {
  expect(connectionsOfProcess(10)).toBe(23)
  expect(tooFewConnections({ limit: 97, taken: 0, poolSize: 10, processes: 4 })).toBeNull()
  expect(tooFewConnections({ limit: 91, taken: 0, poolSize: 10, processes: 4 })).toContain('4 processes take up to 92 connections')
})

test('what others have is not there for the processes, and the sentence adds up', () => {
  expect(tooFewConnections({ limit: 97, taken: 5, poolSize: 10, processes: 4 })).toBeNull()
  expect(tooFewConnections({ limit: 97, taken: 6, poolSize: 10, processes: 4 })).toMatch(
    /4 processes take up to 92 connections \(.*each\), and Postgres has 91: 97, of which others have 6$/,
  )
})

test('processes that start together are counted when all of them live, and said once for each number of them', async () => {
  const database = await testDatabase()
  const pool = patientPool({ url: database.url, max: 2, name: 'tidings' })
  const lines: { level?: string; msg?: string }[] = []
  const log = logTo({ write: (line: string) => void lines.push(JSON.parse(line)) }, 'info')
  const poolSize = 1_000 // More than any server of a test has, whatever other tests have open.
  const heartbeats = [1, 2].map(() => processHeartbeat({ pool, role: 'query-api', position: () => START }))
  const watching = watchConnections({ pool, poolSize, log, everyMs: 20 })
  try {
    await Promise.all(heartbeats.map(({ begun }) => begun))
    await until(() => expect(lines).toHaveLength(1))
    expect(lines[0]).toMatchObject({ level: 'warn', msg: expect.stringContaining('too few database connections: 2 processes take up to') })
    await expect(checkConnections({ pool, poolSize })).rejects.toThrow(/^2 processes take up to .*, and Postgres has .* are open now\.$/)
  } finally {
    watching.stop()
    await Promise.all(heartbeats.map(({ stop }) => stop()))
    await pool.end()
    await database.drop()
  }
})
