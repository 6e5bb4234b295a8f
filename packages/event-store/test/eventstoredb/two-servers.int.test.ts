import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { LogWentBack, Unavailable } from '../../src/errors.ts'
import { aFixture, anEvent, aStore, aStream } from './fixture.testing.ts'

/** One address with two servers behind it: connections go where `to` says when they begin, and stay there. */
const anAddress = async (first: number) => {
  const clients: Socket[] = []
  let target = first
  const server = createServer((client) => {
    clients.push(client)
    const upstream = connect(target, '127.0.0.1')
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
      one.pipe(other)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const client of clients) client.destroy()
    server.close()
  })
  const to = (port: number): void => {
    target = port
  }
  return { connectionString: `esdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`, clients, to }
}

/** An append is given up, and neither connection before for a process that stood still. */
const TIMES = { append: { attemptMs: 3_000, deadlineMs: 6_000 }, read: { silenceMs: 10_000, deadlineMs: 60_000 } }

/** A store whose appends go over the first connection of an address, and its reads over the second. */
const aStoreOfTwo = async () => {
  const [known, other] = [await aFixture(), await aFixture()]
  const address = await anAddress(known.port)
  const store = aStore(known, { connectionString: address.connectionString, times: TIMES })
  const stream = aStream()
  await store.append(stream, 'no_stream', [anEvent('First'), anEvent('Second')])
  expect((await store.readAll('start', 10)).events).toHaveLength(2)
  expect(address.clients).toHaveLength(2)
  address.to(other.port)
  return { store, stream, known, other, clients: address.clients }
}

const eventsOf = ({ log }: Awaited<ReturnType<typeof aFixture>>) => log.all.filter(({ type }) => !type.startsWith('$'))

test('an append stream is checked on the server that it goes to, not on the one that reads go to', async () => {
  const { store, known, other } = await aStoreOfTwo()
  // An append stream that says nothing is given up, and the connection of reads stays.
  known.faults.swallowAppends = true
  await expect(store.append(aStream(), 'any', [anEvent('Third')])).rejects.toBeInstanceOf(Unavailable)
  expect(eventsOf(other)).toEqual([])
})

test('what is read from another server does not count, while appends still go to the known one', async () => {
  const { store, stream, clients } = await aStoreOfTwo()
  clients[1]!.destroy()
  // Until gRPC has noticed the end, a read fails; afterwards it connects anew.
  await expect.poll(() => store.readStream(stream).catch((error: unknown) => error)).toBeInstanceOf(LogWentBack)
})
