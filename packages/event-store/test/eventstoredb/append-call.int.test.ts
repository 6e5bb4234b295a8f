import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createSecureServer, createServer, type Http2Server, type IncomingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { newAuthority } from '@tidings/testing/certificates'
import { expect, onTestFinished, test, vi } from 'vitest'
import { failureOutcome } from '../../src/eventstoredb/call-failure.ts'
import { createConnection } from '../../src/eventstoredb/connection.ts'
import { encodeAppend } from '../../src/eventstoredb/encode-append.ts'
import { aFixture, anEvent, aStream } from './fixture.testing.ts'

/** A call for appends, the ids of its answers, and how it ended. */
const openCall = async () => {
  const fixture = await aFixture()
  const connection = createConnection(fixture.connectionString)
  onTestFinished(() => connection.close())
  const call = await connection.appends(await connection.streams())
  onTestFinished(() => call.cancel())
  const answered: string[] = []
  const onEnd = vi.fn<(error: Error) => void>()
  call.listen({ onAnswer: ({ id }) => answered.push(id), onEnd })
  return { fixture, call, answered, onEnd }
}

const requests = (count: number) => Array.from({ length: count }, () => encodeAppend(aStream(), 'no_stream', [anEvent()]))

test('what is written arrives, in order', async () => {
  const { call, answered } = await openCall()
  const sent = requests(20)
  for (const { message } of sent) call.write(message)
  await expect.poll(() => answered).toEqual(sent.map(({ id }) => id))
  expect([call.leftAt() > 0, call.waiting()]).toEqual([true, 0])
})

test('what is written in one turn leaves in one write', async () => {
  const { call, answered } = await openCall()
  const [first, ...others] = requests(65)
  call.write(first!.message)
  await expect.poll(() => answered).toHaveLength(1)
  const size = others.reduce((sum, { message }) => sum + 5 + message.length, 0)
  const written = vi.spyOn(Duplex.prototype, 'write')
  onTestFinished(() => written.mockRestore())
  for (const { message } of others) call.write(message)
  await expect.poll(() => answered).toEqual([first, ...others].map((request) => request!.id))
  expect(written.mock.calls.filter(([bytes]: readonly unknown[]) => Buffer.isBuffer(bytes) && bytes.length === size)).toHaveLength(1)
})

test('the end of the connection is reported once, and what is written afterwards is dropped', async () => {
  const { fixture, call, answered, onEnd } = await openCall()
  call.write(requests(1)[0]!.message)
  await expect.poll(() => answered).toHaveLength(1)
  expect(onEnd).not.toHaveBeenCalled()
  await fixture.stop()
  await expect.poll(() => onEnd.mock.calls).toHaveLength(1)
  call.write(requests(1)[0]!.message)
  call.cancel()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(onEnd).toHaveBeenCalledTimes(1)
})

test('a node that takes no connection is unavailable', async () => {
  const fixture = await aFixture()
  const connection = createConnection(fixture.connectionString)
  onTestFinished(() => connection.close())
  const stub = await connection.streams()
  await fixture.stop()
  await expect(connection.appends(stub)).rejects.toMatchObject({ code: 14, details: expect.stringContaining('ECONNREFUSED') })
})

test('a node that takes everything and says nothing more is given up by the pings', async () => {
  const fixture = await aFixture()
  // The first ping comes after the wire is held: one before it would be given up where this process stands still.
  const connection = createConnection(`${fixture.connectionString}&keepAliveInterval=4000&keepAliveTimeout=50`)
  onTestFinished(() => connection.close())
  const call = await connection.appends(await connection.streams())
  const onEnd = vi.fn<(error: Error) => void>()
  call.listen({ onAnswer: () => undefined, onEnd })
  fixture.hold()
  await expect.poll(() => onEnd.mock.calls).toEqual([[expect.objectContaining({ code: 14, details: 'the append stream was lost' })]])
})

/** A server that ends each call with what `trailers` says; its port, and the headers of its last call. */
const anEndingServer = async (server: Http2Server, trailers: Readonly<Record<string, string>>) => {
  let heard: IncomingHttpHeaders = {}
  server.on('stream', (stream, headers) => {
    heard = headers
    stream.on('error', () => undefined)
    stream.on('wantTrailers', () => stream.sendTrailers(trailers))
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, headers: () => heard }
}

const endOf = async (connectionString: string) => {
  const connection = createConnection(connectionString)
  onTestFinished(() => connection.close())
  const call = await connection.appends(await connection.streams())
  return new Promise<Error>((resolve) => call.listen({ onAnswer: () => undefined, onEnd: resolve }))
}

test('the user is shown over TLS, and over nothing else; the end says what the server said', async () => {
  const authority = newAuthority('Tests')
  const folder = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'ca.pem'), authority.cert)
  const said = { 'grpc-status': '7', 'grpc-message': 'no%20access', exception: 'access-denied' }
  const [secured, plain] = [
    await anEndingServer(createSecureServer(authority.issue('localhost')), said),
    await anEndingServer(createServer(), said),
  ]
  const file = encodeURIComponent(join(folder, 'ca.pem'))

  const error = await endOf(`esdb://admin:change%3Ait@localhost:${secured.port}?tlsCAFile=${file}&connectionName=me`)
  expect(error).toMatchObject({ code: 7, details: 'no access' })
  expect(failureOutcome(error)).toMatchObject({ kind: 'denied' })
  const authorization = `Basic ${Buffer.from('admin:change:it').toString('base64')}`
  expect(secured.headers()).toMatchObject({ authorization, 'requires-leader': 'true', 'connection-name': 'me', te: 'trailers' })

  expect(await endOf(`esdb://admin:changeit@127.0.0.1:${plain.port}?tls=false`)).toMatchObject({ code: 7 })
  expect(plain.headers()).not.toHaveProperty('authorization')
  await expect(endOf(`esdb://localhost:${secured.port}`)).rejects.toMatchObject({ code: 14 })
})

test('a server that ends a call without a fault ended it', async () => {
  const { port } = await anEndingServer(createServer(), { 'grpc-status': '0' })
  expect(await endOf(`esdb://127.0.0.1:${port}?tls=false`)).toMatchObject({ code: 2, details: 'EventStoreDB ended the append stream' })
})
