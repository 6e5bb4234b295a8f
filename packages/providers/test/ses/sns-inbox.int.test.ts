import { generateKeyPairSync } from 'node:crypto'
import { type SesServer, startSesServer } from '@tidings/testing/ses-server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sesAccount } from '../../src/ses/account.ts'
import { SnsAway } from '../../src/ses/sns-certificates.ts'
import { createSnsInbox, type SnsInbox } from '../../src/ses/sns-inbox.ts'

let server: SesServer
let inbox: SnsInbox
const opened = () => createSnsInbox([sesAccount(server.url).topic].filter((topic) => topic !== null))
beforeEach(async () => {
  server = await startSesServer()
  inbox = opened()
})
afterEach(async () => {
  await server.stop()
})

const read = (body: string, caller = '192.0.2.1') => inbox.read(Buffer.from(body), caller)
/** A path of a certificate, by its number. */
const pathOf = (n: number) => `/SimpleNotificationService-${String(n).padStart(32, 'f')}.pem`

describe('a message of SNS', () => {
  test.each(['1', '2'] as const)('is read by its signature of version %s, and its certificate fetched once', async (version) => {
    expect(await read(server.notification('first', { version }))).toEqual({ message: 'first' })
    expect(await read(server.notification('second', { version }))).toEqual({ message: 'second' })
    expect(server.sns.asked).toHaveLength(1)
  })

  test('is fetched once for many at one time', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, (_, n) => read(server.notification(`${n}`))))
    expect(all.map((one) => one?.message)).toEqual(Array.from({ length: 50 }, (_, n) => `${n}`))
    expect(server.sns.asked).toHaveLength(1)
  })

  test('that is posted again is read again: the message that it tells of takes it once', async () => {
    const body = server.notification('again')
    expect([await read(body), await read(body)]).toEqual([{ message: 'again' }, { message: 'again' }])
  })

  test('asks to confirm a subscription: that is done at the origin of the topic, by its token', async () => {
    expect(await read(server.confirmation())).toEqual({ message: null })
    const query = new URLSearchParams({ Action: 'ConfirmSubscription', TopicArn: server.topic, Token: 'abc123' })
    expect(server.sns.asked.at(-1)).toBe(`/?${query}`)
  })

  test('that cannot be judged or done now is asked for again', async () => {
    server.sns.answer = 503
    await expect(read(server.notification('x'))).rejects.toThrow(SnsAway)
    server.sns.answer = 200
    expect(await read(server.notification('x'))).toEqual({ message: 'x' })
    server.sns.answer = 500
    await expect(read(server.confirmation())).rejects.toThrow(SnsAway)
    await server.stop()
    await expect(opened().read(Buffer.from(server.notification('x')), '')).rejects.toThrow(SnsAway)
    await server.start()
  })
})

describe('no message is what', () => {
  const other = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const changed = (fields: object) => server.notification('x', { changed: fields })

  test.each([
    ['is changed behind its signature', () => changed({ Message: 'y' })],
    ['has lost its subject', () => changed({ Subject: undefined })],
    ['has another subject', () => changed({ Subject: 'y' })],
    ['another key signed', () => server.notification('x', { key: other() })],
    ['is signed by another digest than it says', () => changed({ SignatureVersion: '1' })],
    ['says that it is of another type', () => changed({ Type: 'UnsubscribeConfirmation' })],
  ])('%s', async (_, body) => {
    expect(await read(body())).toBeNull()
  })

  test.each([
    [
      'is of another account’s topic, which signs it truly',
      () => server.notification('x', { topic: 'arn:aws:sns:eu-west-1:999999999999:tidings' }),
    ],
    ['names a certificate elsewhere', () => changed({ SigningCertURL: `https://evil.example${pathOf(0)}` })],
    ['names a host that only begins like it', () => changed({ SigningCertURL: `http://127.0.0.1.evil.example${pathOf(0)}` })],
    ['names its own origin as a user', () => changed({ SigningCertURL: `http://127.0.0.1@evil.example${pathOf(0)}` })],
    ['names another path', () => server.notification('x', { certificate: '/other.pem' })],
    ['names a path that leaves', () => server.notification('x', { certificate: `/a/..${pathOf(0)}` })],
    ['has no signature', () => changed({ Signature: undefined })],
    ['has numbers', () => changed({ Signature: 7, MessageId: 7 })],
    ['has a version that there is not', () => changed({ SignatureVersion: 'constructor' })],
    ['has a type that there is not', () => changed({ Type: 'constructor' })],
    ['confirms without a token', () => server.confirmation({ changed: { Token: 'a b' } })],
    ['is no JSON', () => '{'],
    ['is a list', () => '[]'],
  ])('%s; nothing is fetched for it', async (_, body) => {
    expect(await read(body())).toBeNull()
    expect(server.sns.asked).toEqual([])
  })

  test.each([
    ['is over', () => server.certificateFor(-1)],
    ['is none', () => 'hello'],
    ['is endless', () => 'x'.repeat(100_000)],
  ])('is signed under a certificate that %s', async (_, certificate) => {
    server.sns.certificates.set(pathOf(1), certificate())
    expect(await read(server.notification('x', { certificate: pathOf(1) }))).toBeNull()
  })

  test('comes where no topic is configured', async () => {
    expect(await createSnsInbox([]).read(Buffer.from(server.notification('x')), '')).toBeNull()
  })
})

test('a stranger who names certificates has five fetched in a minute, and delays no other', async () => {
  const forged = (n: number) => server.notification('x', { certificate: pathOf(n) })
  for (const n of [1, 2, 3, 4, 5]) expect(await read(forged(n), '198.51.100.7')).toBeNull()
  await expect(read(forged(6), '198.51.100.7')).rejects.toThrow(SnsAway)
  expect(server.sns.asked).toHaveLength(5)
  expect(await read(server.notification('true'), '192.0.2.1')).toEqual({ message: 'true' })
  expect(await read(server.notification('true'), '198.51.100.7')).toEqual({ message: 'true' })
})
