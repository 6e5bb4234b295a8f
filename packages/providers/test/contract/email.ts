import { until } from '@tidings/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { parseProviderId } from '../../src/email/message-id.ts'
import type { EmailMessage, EmailProvider } from '../../src/email/port.ts'
import type { DeliveryError, SendOptions } from '../../src/port.ts'
import { mail } from '../email/mail.fixture.ts'
import { newNumber, type OtherSide, options, type Sending, SHORT_CALL_MS, type TakenMessage } from './harness.ts'
import { type Adapter, contract, newIds, sharedScenarios } from './register.ts'

/** A mail that was taken, as another library reads it. `messageId`: its header, without the brackets. */
export type TakenMail = TakenMessage & Readonly<{ messageId: string; subject: string }>

/** The relay or API that takes the mails, as far as it can misbehave. */
export type EmailOtherSide = OtherSide &
  Readonly<{
    /** Takes what goes to that recipient, and calls it so in the answer. */
    name: (to: string, id: string) => void
    /** Takes what goes to that recipient, and repeats the address in the answer. */
    repeat: (to: string) => void
    /** Never answers what is asked about that recipient before its mail leaves. Only where `asksFirst`. */
    ignore?: (to: string) => void
  }>

/** As for text messages, of mail: `to` is an address, of which the scenarios know the part before the @. */
export type EmailHarness = Readonly<{
  provider: EmailProvider
  taken: () => Promise<readonly TakenMail[]>
  secrets: readonly string[]
  otherSide?: EmailOtherSide
  close: () => Promise<void>
}>

/** The address of a recipient that the scenarios know by a number. */
export function mailboxOf(number: string): string {
  return `n${number.slice(1)}@example.com`
}

/** The number of such an address. */
export function numberOf(address: string): string {
  return address.replace(/^n(\d+)@example\.com$/, '+$1')
}

const mailTo = (to: string, changes: Partial<EmailMessage> = {}): EmailMessage => ({ ...mail, ...newIds(), to: mailboxOf(to), ...changes })

/** `asksFirst`: whether the other side is asked about the recipient before the mail leaves, as SMTP does. */
type EmailAdapter = Adapter<EmailHarness> & Readonly<{ asksFirst?: boolean }>

/** Registers every scenario of an email provider over one opened adapter. Nothing in it asserts a duration. */
export function emailProviderContract(name: string, adapter: EmailAdapter): void {
  contract(`${name} keeps the contract of an email provider`, adapter, (harness) => {
    const sendBy =
      ({ provider }: EmailHarness): Sending['send'] =>
      ({ text, to, ...whose }, sendOptions) =>
        provider.send(mailTo(to, { text, ...whose }), sendOptions)
    sharedScenarios({ harness, adapter, sendBy, carriesPasscodes: false })
    mailScenarios(harness)
    if (adapter.hasOtherSide) mailSideScenarios(harness, adapter)
  })
}

function mailScenarios(harness: () => EmailHarness): void {
  const takenBy = async (to: string) => (await harness().taken()).filter((taken) => taken.to === to)
  const failing = (message: EmailMessage): Promise<DeliveryError> =>
    harness()
      .provider.send(message, options)
      .then(
        () => expect.unreachable('it was sent'),
        (error: DeliveryError) => error,
      )

  describe('a mail', () => {
    test('has the sender and the subject that it was given', async () => {
      const to = newNumber()
      await harness().provider.send(mailTo(to, { subject: 'שלום, € 5' }), options)
      expect(await takenBy(to)).toMatchObject([{ from: mail.from.email, subject: 'שלום, € 5' }])
    })

    test('has the same Message-ID at every attempt, by which a bounce finds message and workspace', async () => {
      const message = mailTo(newNumber())
      const { providerMessageId } = await harness().provider.send(message, options)
      await harness().provider.send(message, options)
      const ids = (await takenBy(numberOf(message.to))).map(({ messageId }) => messageId)
      expect(ids).toEqual([ids[0], ids[0]])
      const { messageId, workspaceId } = message
      expect(parseProviderId(ids[0] ?? '')).toEqual({ messageId, workspaceId })
      // The other side names none of these: then its id is ours.
      expect(parseProviderId(providerMessageId)).toEqual({ messageId, workspaceId })
    })

    test.each([
      ['subject', { subject: 'Hi\r\nBcc: eve@example.com' }],
      ['name of the sender', { from: { email: 'hello@acme.example', name: 'Acme\nX: y' } }],
      ['address to answer to', { replyTo: 'help@acme.example>\r\nBcc: <eve@example.com' }],
    ] as const)('whose %s would add a header is refused, and is not sent', async (_, changes) => {
      const to = newNumber()
      expect(await failing(mailTo(to, changes))).toMatchObject({ name: 'DeliveryError', failure: 'refused' })
      expect(await takenBy(to)).toEqual([])
    })
  })
}

function mailSideScenarios(harness: () => EmailHarness, { asksFirst = false, open }: EmailAdapter): void {
  const side = (): EmailOtherSide => {
    const { otherSide } = harness()
    if (otherSide === undefined) throw new Error('the adapter has no other side')
    return otherSide
  }
  const takenBy = async (to: string) => (await harness().taken()).filter((taken) => taken.to === to)
  const failing = (to: string, changes: Partial<SendOptions> = {}): Promise<DeliveryError> =>
    harness()
      .provider.send(mailTo(to), { ...options, ...changes })
      .then(
        () => expect.unreachable('it was sent'),
        (error: DeliveryError) => error,
      )

  describe('the other side of mail', () => {
    afterEach(() => side().behave())

    test.for(['4F2ABC1234', '1rXyZa-0001AB-2C'])('names a mail: %s is its id', async (id) => {
      const to = newNumber()
      side().name(to, id)
      const { providerMessageId, response } = await harness().provider.send(mailTo(to), options)
      expect(providerMessageId).toBe(id)
      expect(response).toContain(id)
    })

    test('may repeat the recipient in its answer: what is kept has no address', async () => {
      const to = newNumber()
      side().repeat(to)
      const { response, providerMessageId } = await harness().provider.send(mailTo(to), options)
      expect(`${response} ${providerMessageId}`).not.toContain(mailboxOf(to))
    })

    if (asksFirst) {
      test('that does not answer before the mail has left fails it for now, and lets others pass', async () => {
        const [to, other] = [newNumber(), newNumber()]
        const { provider, otherSide, taken, close } = await open(SHORT_CALL_MS)
        otherSide?.ignore?.(to)
        let left = 0
        const ignored = provider.send(mailTo(to), { ...options, handedOver: () => left++ }).catch((error: unknown) => error)
        await provider.send(mailTo(other), options)
        expect(await ignored).toMatchObject({ failure: 'temporary' })
        expect([left, (await taken()).map((one) => one.to)]).toEqual([0, [other]])
        await close()
      })
    }

    test('gets no mail that was stopped before, or while it waited for its turn', async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      side().hold(promise)
      const stopping = new AbortController()
      const numbers = Array.from({ length: 60 }, newNumber)
      const waiting = numbers.map((to) =>
        harness().provider.send(mailTo(to), { ...options, priority: 'marketing', signal: stopping.signal }),
      )
      const settled = Promise.allSettled(waiting)
      await until(async () => expect(await takenBy(numbers[0] ?? '')).toHaveLength(1))
      stopping.abort()
      const before = newNumber()
      expect(await failing(before, { signal: AbortSignal.abort() })).toMatchObject({ failure: 'outage' })
      resolve()
      const results = await settled
      const left = numbers.filter((_, n) => results[n]?.status === 'fulfilled')
      const failures = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
      // A session holds one mail, and the envelope of the next.
      expect(failures.length).toBeGreaterThanOrEqual(20)
      for (const failure of failures) expect(failure).toMatchObject({ name: 'DeliveryError', failure: 'outage' })
      const taken = (await harness().taken()).map(({ to }) => to)
      expect(taken.filter((to) => numbers.includes(to) || to === before).toSorted()).toEqual(left.toSorted())
    })
  })
}
