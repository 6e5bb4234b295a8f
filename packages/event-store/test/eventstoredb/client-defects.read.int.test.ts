/** What the client leaves as it found it, shown on the client and then on this adapter. */
import { once } from 'node:events'
import { createServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { EventStoreDBClient } from '@eventstore/db-client'
import { expect, onTestFinished, test } from 'vitest'
import { eventStoreDbStore } from '../../src/eventstoredb/eventstoredb-store.ts'

/** A server that takes connections and answers nothing. */
const aSilentServer = async () => {
  const sessions: ServerHttp2Session[] = []
  const server = createServer().listen(0, '127.0.0.1')
  server.on('session', (session) => {
    sessions.push(session)
    session.on('error', () => undefined)
  })
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const session of sessions) session.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  /** What the server may send before the reader has read anything: over the connection, and in one call of it. */
  const ahead = () => {
    const [session] = sessions
    return { connection: session?.state.remoteWindowSize, call: session?.remoteSettings.initialWindowSize }
  }
  return { connectionString: `esdb://127.0.0.1:${port}?tls=false`, ahead }
}

test('C14: all calls of a connection wait for one window of 64 KiB; here for one of a mebibyte', async () => {
  const [bare, own] = [await aSilentServer(), await aSilentServer()]
  const client = EventStoreDBClient.connectionString(bare.connectionString)
  client.readAll().on('error', () => undefined)
  await expect.poll(bare.ahead).toEqual({ connection: 65_535, call: 65_535 })
  await client.dispose()

  const store = eventStoreDbStore({ connectionString: own.connectionString })
  const head = store.head().catch(() => undefined)
  await expect.poll(own.ahead).toEqual({ connection: 1_048_576, call: 1_048_576 })
  await store.close()
  await head
})
