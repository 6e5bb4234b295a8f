import { appendFile, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { EventStoreDBClient, jsonEvent, START } from '@eventstore/db-client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type EventStoreProcess, startEventStoreProcess } from '../../src/eventstoredb/process.ts'
import { scratchFolder } from '../../src/sweep.ts'

let folder: string
let server: EventStoreProcess

beforeEach(async () => {
  folder = await scratchFolder()
  server = await startEventStoreProcess({ data: join(folder, 'log') })
})
afterEach(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const client = () => EventStoreDBClient.connectionString(server.connectionString)

/** Everything a reader can see, in the order of the log. */
const everything = async () => {
  const seen: unknown[] = []
  for await (const { event } of client().readAll({ fromPosition: START })) seen.push({ ...event, metadata: undefined })
  return seen
}

test('a killed server comes back on its port with what it had acknowledged, at the same positions', async () => {
  const stream = 'thing-1'
  for (const n of [1, 2, 3]) await client().appendToStream(stream, jsonEvent({ type: 'Happened', data: { n } }))
  await client().setStreamMetadata(stream, { maxCount: 2 })
  await client().tombstoneStream('thing-1')
  const before = await everything()
  await server.kill()
  await server.start()
  expect(await everything()).toEqual(before)
  await expect(client().appendToStream(stream, jsonEvent({ type: 'Happened', data: {} }))).rejects.toMatchObject({ type: 'stream-deleted' })
})

test('what a kill tore apart was never there, and the next append follows what was', async () => {
  await client().appendToStream('thing-1', jsonEvent({ type: 'Happened', data: {} }))
  const before = await everything()
  await server.kill()
  const file = join(folder, 'log')
  const whole = await readFile(file, 'utf8')
  await appendFile(file, whole.slice(0, whole.length / 2).replaceAll('\n', ''))
  await server.start()
  expect(await everything()).toEqual(before)
  expect((await client().appendToStream('thing-1', jsonEvent({ type: 'Happened', data: {} }))).nextExpectedRevision).toBe(1n)
  await server.kill()
  await server.start()
  expect(await everything()).toHaveLength(before.length + 1)
})

test('without a file the log ends with the process', async () => {
  const forgetful = await startEventStoreProcess()
  const connection = () => EventStoreDBClient.connectionString(forgetful.connectionString)
  await connection().appendToStream('thing-1', jsonEvent({ type: 'Happened', data: {} }))
  await forgetful.kill()
  await forgetful.start()
  expect((await connection().appendToStream('thing-1', jsonEvent({ type: 'Happened', data: {} }))).nextExpectedRevision).toBe(0n)
  await forgetful.stop()
})
