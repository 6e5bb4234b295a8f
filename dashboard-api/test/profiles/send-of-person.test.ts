import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { untilAnyErased, untilErased } from '@tidings/administration'
import { contextOf, modelLog } from '@tidings/commands/testing'
import { asContactId, contactStream } from '@tidings/domain'
import fastify from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sendOfPerson } from '../../src/profiles/send-of-person.ts'

const { workspaceId } = contextOf('any')
const contactId = asContactId('00000000-0000-4000-8000-0000000000c1')
const stream = contactStream(workspaceId, contactId)
const erasure = { type: 'ContactErasureRequested', data: { contactId } } as const

type ModelLog = ReturnType<typeof modelLog>['log']
const ofPerson = (log: ModelLog) => untilErased(log, { workspaceId, contactId }, 1)
const ofAll = (log: ModelLog) => untilAnyErased(log, { workspaceId, from: { commit: 0n, prepare: 0n } }, 1)

/** Sends an endless text of a person, and says what became of it. */
const sending = async (watch = ofPerson) => {
  const { log } = modelLog()
  await log.append(stream, 'no_stream', [{ type: 'ContactBrowserRemoved', data: { contactId, endpointHash: 'h' } }], contextOf('first'))
  const ended = { reading: Promise.withResolvers<void>(), sending: Promise.withResolvers<void>() }
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) yield 'a word of the person '.repeat(1_000)
    } finally {
      ended.reading.resolve()
    }
  }
  const app = fastify()
  app.get('/', async (_, reply) => {
    const known = watch(log)
    await sendOfPerson(reply, endless(), known.signal)
    await known.stop()
    ended.sending.resolve()
    return reply
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const [answer] = (await once(get({ port: (app.server.address() as AddressInfo).port, host: '127.0.0.1' }), 'response')) as [
    IncomingMessage,
  ]
  const request = () => log.append(stream, 0, [erasure], contextOf('erase'))
  return { answer, request, ended: Promise.all([ended.reading.promise, ended.sending.promise]) }
}

describe('what is sent of a person', () => {
  it.each([
    ['of one', ofPerson],
    ['of all of a workspace', ofAll],
  ])('breaks off when their erasure is asked for: %s', async (_, watch) => {
    const { answer, request, ended } = await sending(watch)
    const broken = once(answer, 'error')
    answer.once('data', () => void request())
    expect(await broken).toMatchObject([{ message: 'aborted' }])
    await ended
  })

  it('is not kept for a caller who does not read on', async () => {
    const { answer, request, ended } = await sending()
    const broken = once(answer, 'error')
    await request()
    await ended
    answer.resume()
    expect(await broken).toMatchObject([{ message: 'aborted' }])
  })

  it('is nothing where it was asked for before', async () => {
    const known = new AbortController()
    known.abort(new Error('asked for'))
    const app = fastify()
    app.get('/', (_, reply) => sendOfPerson(reply, [Buffer.from('a word of the person')], known.signal))
    expect((await app.inject('/')).statusCode).toBe(500)
  })
})
