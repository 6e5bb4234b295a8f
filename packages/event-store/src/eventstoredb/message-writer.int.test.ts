import { expect, onTestFinished, test, vi } from 'vitest'
import { http2StreamOf } from './client-internals.ts'
import { createConnection } from './connection.ts'
import { decodeAnswer } from './decode-answer.ts'
import { encodeAppend } from './encode-append.ts'
import { aFixture, anEvent, aStream } from './fixture.testing.ts'
import { createMessageWriter } from './message-writer.ts'

/** A call for appends, not on a connection yet, and the ids of its answers. */
const openCall = async () => {
  const fixture = await aFixture()
  const connection = createConnection(fixture.connectionString)
  onTestFinished(() => connection.close())
  const stub = await connection.streams()
  const path = '/event_store.client.streams.Streams/BatchAppend'
  const call = stub.makeBidiStreamRequest(path, (message: Buffer) => message, decodeAnswer, ...connection.call('no deadline'))
  call.on('error', () => undefined)
  onTestFinished(() => call.cancel())
  const answered: string[] = []
  call.on('data', ({ id }) => answered.push(id))
  const onLost = vi.fn<() => void>()
  return { fixture, call, answered, onLost, ...createMessageWriter({ call, isOpen: () => true, onLost }) }
}

const requests = (count: number) => Array.from({ length: count }, () => encodeAppend(aStream(), 'no_stream', [anEvent()]))

test('what is written before there is a connection arrives, in order', async () => {
  const { call, answered, write } = await openCall()
  expect(http2StreamOf(call)).toBe('not yet')
  const sent = requests(20)
  for (const { message } of sent) write(message)
  await expect.poll(() => answered).toEqual(sent.map(({ id }) => id))
})

test('what is written in one turn leaves in one write', async () => {
  const { call, answered, write } = await openCall()
  const [first, ...others] = requests(65)
  write(first!.message)
  await expect.poll(() => answered).toHaveLength(1)
  const stream = http2StreamOf(call)
  if (typeof stream === 'string') throw new Error(`the stream below a call is ${stream}`)
  const written = vi.spyOn(stream, 'write')
  for (const { message } of others) write(message)
  await expect.poll(() => answered).toEqual([first, ...others].map((request) => request!.id))
  expect(written).toHaveBeenCalledTimes(1)
})

test('the end of the connection is reported, and what is written afterwards is dropped', async () => {
  const { fixture, answered, onLost, write } = await openCall()
  write(requests(1)[0]!.message)
  await expect.poll(() => answered).toHaveLength(1)
  expect(onLost).not.toHaveBeenCalled()
  await fixture.stop()
  await expect.poll(() => onLost.mock.calls).toHaveLength(1)
  write(requests(1)[0]!.message)
})

test('a call of another make is written to itself', async () => {
  const written: Buffer[] = []
  const { write } = createMessageWriter({
    call: { write: (message) => written.push(message) },
    isOpen: () => true,
    onLost: () => undefined,
  })
  const messages = requests(3).map(({ message }) => message)
  for (const message of messages) write(message)
  await expect.poll(() => written).toEqual(messages)
})
