import {
  END,
  EventStoreDBClient,
  eventTypeFilter,
  jsonEvent,
  NO_STREAM,
  START,
  STREAM_EXISTS,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EventStoreFixture, startEventStoreFixture } from '../../src/eventstoredb/fixture.ts'

const event = (type: string, data: Record<string, unknown> = {}, id = crypto.randomUUID()) => jsonEvent({ id, type, data })
const name = () => `s-${crypto.randomUUID()}`

describe('the EventStoreDB fixture, spoken to by the unmodified client', () => {
  let fixture: EventStoreFixture
  let client: EventStoreDBClient
  beforeAll(async () => {
    fixture = await startEventStoreFixture()
    client = EventStoreDBClient.connectionString(fixture.connectionString)
  })
  afterAll(async () => {
    await client.dispose()
    await fixture.close()
  })
  const readTypes = async (stream: string, options = {}) => {
    const types: string[] = []
    for await (const { event } of client.readStream(stream, options)) types.push(event?.type ?? '')
    return types
  }

  test('appends and reads back in order', async () => {
    const stream = name()
    const written = await client.appendToStream(stream, [event('A', { n: 1 }), event('B')], { expectedRevision: NO_STREAM })
    expect(written.nextExpectedRevision).toBe(1n)
    expect(await readTypes(stream)).toEqual(['A', 'B'])
    expect(await readTypes(stream, { direction: 'backwards', fromRevision: END, maxCount: 1 })).toEqual(['B'])
  })

  test('refuses a wrong revision and says the current one', async () => {
    const stream = name()
    await client.appendToStream(stream, event('A'))
    const refused = await client.appendToStream(stream, event('B'), { expectedRevision: NO_STREAM }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(WrongExpectedVersionError)
    expect(refused).toMatchObject({ actualVersion: 0n, expectedVersion: NO_STREAM })
  })

  test('answers a repeated append as the first one, and only where the sequence 0em1 1e0 2e1 3e2 4e3 5e4 allows it', async () => {
    const stream = name()
    const events = [0, 1, 2, 3, 4, 5].map((n) => event(`E${n}`))
    for (const [n, each] of events.entries())
      await client.appendToStream(stream, each, { expectedRevision: n === 0 ? NO_STREAM : BigInt(n - 1) })
    const first = events[0]!
    expect((await client.appendToStream(stream, first, { expectedRevision: NO_STREAM })).nextExpectedRevision).toBe(0n)
    expect((await client.appendToStream(stream, first)).nextExpectedRevision).toBe(0n)
    await expect(client.appendToStream(stream, first, { expectedRevision: 6n })).rejects.toBeInstanceOf(WrongExpectedVersionError)
    await expect(client.appendToStream(stream, first, { expectedRevision: 4n })).rejects.toBeInstanceOf(WrongExpectedVersionError)
    expect((await client.appendToStream(stream, first, { expectedRevision: 5n })).nextExpectedRevision).toBe(6n)
    expect(await readTypes(stream)).toHaveLength(7)
  })

  test('refuses events of which only some are known', async () => {
    const stream = name()
    const known = event('A')
    await client.appendToStream(stream, known)
    const partly = [known, event('B')]
    await expect(client.appendToStream(stream, partly)).rejects.toBeInstanceOf(WrongExpectedVersionError)
    await expect(client.appendToStream(stream, partly, { expectedRevision: NO_STREAM })).rejects.toBeInstanceOf(WrongExpectedVersionError)
    expect(await readTypes(stream)).toEqual(['A'])
  })

  test('hides a soft-deleted stream and continues its numbering', async () => {
    const stream = name()
    await client.appendToStream(stream, [event('A'), event('B')])
    await client.deleteStream(stream)
    await expect(readTypes(stream)).rejects.toBeInstanceOf(StreamNotFoundError)
    await expect(client.appendToStream(stream, event('C'), { expectedRevision: STREAM_EXISTS })).rejects.toBeInstanceOf(StreamDeletedError)
    expect((await client.appendToStream(stream, event('C'), { expectedRevision: NO_STREAM })).nextExpectedRevision).toBe(2n)
    expect(await readTypes(stream)).toEqual(['C'])
  })

  test('refuses a tombstoned stream to readers and writers for ever', async () => {
    const stream = name()
    await client.appendToStream(stream, event('A'))
    await client.tombstoneStream(stream)
    await expect(client.appendToStream(stream, event('B'))).rejects.toBeInstanceOf(StreamDeletedError)
    await expect(readTypes(stream)).rejects.toBeInstanceOf(StreamDeletedError)
  })

  test('will not delete what never was', async () => {
    await expect(client.deleteStream(name())).rejects.toBeInstanceOf(WrongExpectedVersionError)
  })

  test('keeps to maxCount and truncateBefore', async () => {
    const stream = name()
    await client.appendToStream(
      stream,
      ['A', 'B', 'C', 'D'].map((type) => event(type)),
    )
    await client.setStreamMetadata(stream, { maxCount: 3 })
    expect(await readTypes(stream)).toEqual(['B', 'C', 'D'])
    await client.setStreamMetadata(stream, { truncateBefore: 3 })
    expect(await readTypes(stream)).toEqual(['D'])
  })

  test('refuses an append above its size limit alone', async () => {
    const stream = name()
    const tooLarge = client.appendToStream(stream, event('A', { text: 'x'.repeat(1024 * 1024) }))
    await expect(tooLarge).rejects.toMatchObject({ type: 'maximum-append-size-exceeded', maxAppendSize: 1024 * 1024 })
    expect((await client.appendToStream(stream, event('B'))).success).toBe(true)
  })

  test('follows $all from a position exclusively, with checkpoints for what its filter leaves out, and says once that it caught up', async () => {
    const [stream, type] = [name(), `T${crypto.randomUUID()}`]
    const before = await client.appendToStream(stream, event(type, { n: 0 }))
    await client.appendToStream(stream, [event(type, { n: 1 }), event('Other')])
    const seen: unknown[] = []
    const checkpoints: bigint[] = []
    const checkpointReached = async (_: unknown, position: { commit: bigint }) => void checkpoints.push(position.commit)
    const filter = eventTypeFilter({ prefixes: [type], checkpointInterval: 1, checkpointReached })
    const subscription = client.subscribeToAll({ fromPosition: before.position!, filter })
    subscription.on('caughtUp', () => {
      seen.push('caught up')
      void client.appendToStream(stream, event(type, { n: 2 }))
    })
    for await (const { event } of subscription) {
      seen.push(event?.data)
      if (seen.length === 3) break
    }
    expect(seen).toEqual([{ n: 1 }, 'caught up', { n: 2 }])
    expect(checkpoints[0]).toBe(fixture.log.stream(stream)[2]?.position)
  })

  test('reads $all inclusively from a position', async () => {
    const written = await client.appendToStream(name(), event('Here'))
    const types: string[] = []
    for await (const { event } of client.readAll({ fromPosition: written.position!, maxCount: 1 })) types.push(event?.type ?? '')
    expect(types).toEqual(['Here'])
  })

  test('is found by gossip, and keeps its log over a restart on the same port', async () => {
    const stream = name()
    await client.appendToStream(stream, event('A'))
    await fixture.stop()
    await fixture.start()
    const found = EventStoreDBClient.connectionString`esdb+discover://127.0.0.1:${fixture.port}?tls=false`
    expect((await found.appendToStream(stream, event('B'))).nextExpectedRevision).toBe(1n)
    await found.dispose()
    const all: string[] = []
    for await (const { event } of EventStoreDBClient.connectionString(fixture.connectionString).readAll({ fromPosition: START }))
      if (event?.streamId === stream) all.push(event.type)
    expect(all).toEqual(['A', 'B'])
  })
})
