import { randomUUID } from 'node:crypto'
import { asMessageId, asWorkspaceId, MAX_PUSH_BYTES } from '@tidings/domain'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { DeliveryError } from '../../src/port.ts'
import type { PushMessage, PushProvider } from '../../src/push/port.ts'
import { options, SHORT_CALL_MS } from './harness.ts'
import type { Adapter } from './register.ts'

/** No push that is answered takes so long, though one thread encrypts all of them. */
const CALL_MS = 30_000

/** A push service, as far as it can misbehave; everything lasts until `behave`. */
type PushOtherSide = Readonly<{
  behave: () => void
  answer: (endpoint: string, status: number, body: string) => void
  cutAfterTaking: (endpoint: string) => void
  stall: (endpoint: string) => void
}>

/** `taken`: the text that each browser read. */
export type PushHarness = Readonly<{
  provider: PushProvider
  subscribe: () => Pick<PushMessage, 'endpoint' | 'keys'>
  taken: () => Promise<readonly Readonly<{ endpoint: string; text: string }>[]>
  secrets: readonly string[]
  otherSide?: PushOtherSide
  close: () => Promise<void>
}>

/** Registers every scenario of a push provider over one opened adapter. Nothing in it asserts a duration. */
export function pushProviderContract(name: string, { open, hasOtherSide }: Adapter<PushHarness>): void {
  describe(`${name} keeps the contract of a push provider`, () => {
    let harness: PushHarness
    beforeAll(async () => {
      harness = await open(CALL_MS)
    })
    afterAll(() => harness?.close())
    afterEach(() => harness.otherSide?.behave())

    const messageTo = (to: Pick<PushMessage, 'endpoint' | 'keys'>, changed: Partial<PushMessage['notification']> = {}): PushMessage => ({
      ...to,
      workspaceId: asWorkspaceId(randomUUID()),
      messageId: asMessageId(randomUUID()),
      urgency: 'normal',
      notification: { title: 'Hi', body: 'Ada', url: null, icon: null, ...changed },
    })
    const readBy = async (endpoint: string): Promise<readonly unknown[]> =>
      (await harness.taken()).filter((taken) => taken.endpoint === endpoint).map(({ text }) => JSON.parse(text))
    const failing = (message: PushMessage, sendOptions = options): Promise<DeliveryError> =>
      harness.provider.send(message, sendOptions).then(
        () => expect.unreachable('it was sent'),
        (error: DeliveryError) => error,
      )

    test.each(['Hi Ada', 'שלום', '🙂 & <b> + %41 "', 'one\ntwo'])('carries %j as it is, and names the message', async (body) => {
      const to = harness.subscribe()
      const message = messageTo(to, { body, url: 'https://shop.example/c?t=1', icon: 'https://shop.example/i.png' })
      expect((await harness.provider.send(message, options)).providerMessageId).toMatch(/^\S{1,255}$/)
      const { title, url, icon } = message.notification
      expect(await readBy(to.endpoint)).toEqual([{ title, body, url, icon, tag: message.messageId }])
    })

    test('leaves out the addresses that there are not', async () => {
      const to = harness.subscribe()
      const message = messageTo(to)
      await harness.provider.send(message, options)
      expect(await readBy(to.endpoint)).toEqual([{ title: 'Hi', body: 'Ada', tag: message.messageId }])
    })

    test('carries many at once, each once', async () => {
      const all = Array.from({ length: 50 }, () => harness.subscribe())
      await Promise.all(all.map((to) => harness.provider.send(messageTo(to), options)))
      for (const { endpoint } of all) expect(await readBy(endpoint)).toHaveLength(1)
    })

    test('sends nothing where the fence rejects, and throws its error', async () => {
      const to = harness.subscribe()
      const lost = new Error('another worker has it')
      await expect(harness.provider.send(messageTo(to), { ...options, fence: () => Promise.reject(lost) })).rejects.toBe(lost)
      expect(await readBy(to.endpoint)).toEqual([])
    })

    test('sends the pushes between those whose fence rejects, more than there are connections', async () => {
      const workspaceId = asWorkspaceId(randomUUID())
      const all = Array.from({ length: 40 }, (_, n) => ({ to: harness.subscribe(), closed: n % 2 === 0 ? new Error(`gate ${n}`) : null }))
      const results = await Promise.allSettled(
        all.map(({ to, closed }) =>
          harness.provider.send(
            { ...messageTo(to), workspaceId },
            { ...options, fence: () => (closed === null ? undefined : Promise.reject(closed)) },
          ),
        ),
      )
      expect(results.map((result) => (result.status === 'rejected' ? result.reason : null))).toEqual(all.map(({ closed }) => closed))
      for (const { to, closed } of all) expect(await readBy(to.endpoint)).toHaveLength(closed === null ? 1 : 0)
    })

    test('carries the largest payload that browsers take, and says how much one byte more is too much', async () => {
      const to = harness.subscribe()
      const message = messageTo(to, { body: '' })
      const overhead = Buffer.byteLength(JSON.stringify({ title: 'Hi', body: '', tag: message.messageId }))
      const sized = (bytes: number): PushMessage => ({
        ...message,
        notification: { ...message.notification, body: 'x'.repeat(bytes - overhead) },
      })
      await harness.provider.send(sized(MAX_PUSH_BYTES), options)
      const error = await failing(sized(MAX_PUSH_BYTES + 1))
      expect(error).toMatchObject({ failure: 'refused', message: expect.stringContaining(`${MAX_PUSH_BYTES + 1} bytes`) })
      expect(await readBy(to.endpoint)).toHaveLength(1)
    })

    if (!hasOtherSide) return
    const side = (): PushOtherSide => {
      if (harness.otherSide === undefined) throw new Error('the adapter has no other side')
      return harness.otherSide
    }

    test.each([
      [404, 'recipient'],
      [410, 'recipient'],
      [401, 'temporary'],
      [403, 'temporary'],
      [429, 'temporary'],
      [500, 'temporary'],
      [503, 'temporary'],
      [400, 'refused'],
      [413, 'refused'],
      [307, 'refused'],
    ] as const)('reports an answer of %i as %s', async (status, failure) => {
      const to = harness.subscribe()
      side().answer(to.endpoint, status, 'because')
      expect(await failing(messageTo(to))).toMatchObject({ name: 'DeliveryError', failure, response: `${status} because` })
      expect(await readBy(to.endpoint)).toEqual([])
    })

    test('reports as unconfirmed what was taken and lost its answer', async () => {
      const cut = harness.subscribe()
      side().cutAfterTaking(cut.endpoint)
      let left = 0
      expect(await failing(messageTo(cut), { ...options, handedOver: () => left++ })).toMatchObject({ failure: 'unconfirmed' })
      expect([left, (await readBy(cut.endpoint)).length]).toEqual([1, 1])
    })

    test('reports as unconfirmed what never gets an answer, and delays nothing else', async () => {
      const { provider, subscribe, otherSide, close } = await open(SHORT_CALL_MS)
      const [stalled, good] = [subscribe(), subscribe()]
      otherSide?.stall(stalled.endpoint)
      const waiting = provider.send(messageTo(stalled), options).catch((error: unknown) => error)
      await provider.send(messageTo(good), options)
      expect(await waiting).toMatchObject({ failure: 'unconfirmed' })
      await close()
    })

    test('refuses keys that cannot be used, and repeats neither them nor a secret in an error', async () => {
      const to = harness.subscribe()
      const bad = messageTo({ ...to, keys: { p256dh: 'not-a-key', auth: 'not-a-secret' } })
      const errors = [await failing(bad)]
      expect(errors[0]).toMatchObject({ failure: 'refused' })
      side().answer(to.endpoint, 400, 'no')
      errors.push(await failing(messageTo(to)))
      for (const { message, response, stack } of errors) {
        for (const secret of [...harness.secrets, to.endpoint, to.keys.auth, 'not-a-key', 'not-a-secret'])
          expect(`${message} ${response} ${stack}`).not.toContain(secret)
      }
    })
  })
}
