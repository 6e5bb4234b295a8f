import type { MaybePromise } from '@tidings/async'
import { createCommandRunner } from '@tidings/commands'
import { contextOf, type ModelLog, modelLog } from '@tidings/commands/testing'
import { type MessageCommand, type MessageEvent, message, type OtpEvent, Refused, walletStream } from '@tidings/domain'
import { DeliveryError } from '@tidings/providers'
import { createWallets, sweepHolds, verifyWallet } from '@tidings/wallet'
import { describe, expect, it } from 'vitest'
import { type IssuedPasscode, sendPasscode } from '../src/send-passcode.ts'
import { type Death, Died, NEVER, type ProviderAnswer, startProcess } from './testing/dying-process.ts'

const { workspaceId } = contextOf('any')
const CREDITS = 10
const LATER = Date.parse('2100-01-01T00:00:00.000Z')

const accepts: ProviderAnswer = async () => ({ providerMessageId: 'p1' })
const fails =
  (failure: DeliveryError['failure']): ProviderAnswer =>
  async () => {
    throw new DeliveryError(failure, `the text was: 123456`, { response: 'rejected: code 123456' })
  }

const funded = async (credits = CREDITS): Promise<ModelLog> => {
  const model = modelLog()
  const events = [{ type: 'CreditsAdded', data: { commandId: null, amount: credits, note: null } }]
  await model.log.append(walletStream(workspaceId), 'no_stream', events, contextOf('funds'))
  return model
}

type Run = Readonly<{
  model: ModelLog
  answer?: ProviderAnswer
  death?: Death
  together?: boolean
  mayStillSend?: () => boolean
  gate?: () => MaybePromise<Refused | null>
}>

const send = async ({
  model,
  answer = accepts,
  death = NEVER,
  together = true,
  mayStillSend = () => true,
  gate = () => null,
}: Run): Promise<IssuedPasscode> => {
  const { parts } = startProcess(model, { answer, death, together })
  const order = { phone: '+972501234567', channel: 'sms', message: undefined, from: 'Acme', language: 'he', ip: '192.0.2.7' } as const
  return await sendPasscode(parts, { ...order, mayStillSend, gate, context: contextOf('send') })
}

const eventsOf = <E extends MessageEvent | OtpEvent>(model: ModelLog, category: string): readonly E[] =>
  model
    .streams()
    .filter((stream) => stream.startsWith(`${category}-`))
    .flatMap((stream) => model.events<E>(stream))

const typesIn = (model: ModelLog, category: string) => eventsOf(model, category).map(({ type }) => type)

const statusesIn = (model: ModelLog) =>
  model
    .streams()
    .filter((stream) => stream.startsWith('message-'))
    .map((stream) => model.events<MessageEvent>(stream).reduce(message.evolve, message.initialState).status)

describe('a passcode that is sent', () => {
  it('is accepted before the provider is called, and paid when it was', async () => {
    const model = await funded()
    const seen: (readonly string[])[] = []
    const { verificationId, segments } = await send({
      model,
      answer: async () => {
        seen.push(typesIn(model, 'message'), typesIn(model, 'otp'))
        return { providerMessageId: 'p1' }
      },
    })
    expect(seen).toEqual([['PasscodeAccepted'], []])
    expect({ verificationId, segments }).toEqual({ verificationId: expect.stringMatching(/^[\w-]{21}$/), segments: 1 })
    expect(typesIn(model, 'message')).toEqual(['PasscodeAccepted', 'MessageSent'])
    expect(eventsOf<OtpEvent>(model, 'otp')).toMatchObject([
      { type: 'OtpIssued', data: { verificationId, phone: '+972501234567', expiresAt: '2026-01-01T00:06:00.000Z' } },
    ])
    expect(await verifyWallet(model.log, workspaceId)).toMatchObject({ ok: true, balance: CREDITS - 1, held: 0 })
  })

  it('stands in one append with its acceptance, where the log can', async () => {
    const model = await funded()
    await send({ model })
    expect(model.calls.filter((call) => call.includes(' + '))).toHaveLength(1)
  })

  it.each([
    ['recipient', 'invalid_address'],
    ['refused', 'provider_rejected'],
    ['temporary', 'provider_unavailable'],
    ['unconfirmed', 'provider_unavailable'],
    ['outage', 'provider_unavailable'],
  ] as const)('and that the provider does not take (%s) is failed, costs nothing and cannot be verified', async (failure, reason) => {
    const model = await funded()
    await expect(send({ model, answer: fails(failure) })).rejects.toThrow('otp_provider_failed')
    expect(eventsOf<MessageEvent>(model, 'message')).toMatchObject([
      { type: 'PasscodeAccepted' },
      // What the provider said may hold the code.
      { type: 'MessageFailed', data: { reason, detail: null } },
    ])
    expect(typesIn(model, 'otp')).toEqual([])
    expect(await verifyWallet(model.log, workspaceId)).toMatchObject({ ok: true, balance: CREDITS, held: 0 })
  })

  it('and that nothing can pay for is refused before anything is written', async () => {
    const model = await funded(1)
    await send({ model })
    const before = model.streams().length
    await expect(send({ model })).rejects.toThrow('otp_credits_insufficient')
    expect(model.streams()).toHaveLength(before)
  })

  it.each([
    ['delivered', 'RecordDelivered', 'MessageSent'],
    ['failed', 'RecordFailed', undefined],
  ] as const)('may be reported as %s before the provider answers', async (status, type, last) => {
    const model = await funded()
    const answer: ProviderAnswer = async () => {
      const [stream = ''] = model.streams().filter((name) => name.startsWith('message-'))
      const command: MessageCommand =
        type === 'RecordFailed' ? { type, data: { reason: 'undeliverable', detail: null } as const } : { type, data: {} }
      await createCommandRunner({ log: model.log }).execute({ decider: message, stream, command, context: contextOf('receipt') })
      return { providerMessageId: 'p1' }
    }
    const sending = send({ model, answer })
    if (last === undefined) await expect(sending).rejects.toThrow('otp_provider_failed')
    else await sending
    const events = eventsOf<MessageEvent>(model, 'message')
    expect(events.reduce(message.evolve, message.initialState).status).toBe(status)
    expect(typesIn(model, 'otp')).toEqual(last === undefined ? [] : ['OtpIssued'])
    expect(await verifyWallet(model.log, workspaceId)).toMatchObject({ ok: true, balance: CREDITS - (last ? 1 : 0), held: 0 })
  })
})

describe.each([true, false])('wherever a process dies (appends together: %s)', (together) => {
  const deaths = Array.from({ length: 16 }, (_, n) => [
    { at: n + 1, after: false },
    { at: n + 1, after: true },
  ]).flat()
  const answers = { accepts, refuses: fails('refused'), 'is unsure': fails('unconfirmed') }

  it.each(Object.entries(answers))(
    'and the provider %s, what was sent is paid, nothing else is, and no code is right that was not sent',
    async (_, answer) => {
      let survived = 0
      for (const death of deaths) {
        const model = await funded()
        const ended = await send({ model, answer, death, together }).then(
          () => 'sent',
          (error: unknown) => (error instanceof Died ? 'died' : 'failed'),
        )
        if (ended !== 'died') survived++
        const commands = createCommandRunner({ log: model.log })
        await sweepHolds({ log: model.log, commands, wallets: createWallets({ commands, gapMs: 0 }), workspaceId }, LATER)
        const isSent = typesIn(model, 'message').includes('MessageSent')
        const where = `${ended} at ${death.at}${death.after ? ', after it' : ''}`
        expect(await verifyWallet(model.log, workspaceId), where).toMatchObject({ ok: true, held: 0, balance: CREDITS - (isSent ? 1 : 0) })
        if (typesIn(model, 'otp').length > 0) expect(isSent, where).toBe(true)
        // No message waits for ever: the sweep fails what a dead process left behind.
        expect(statusesIn(model), where).not.toContain('queued')
        if (ended === 'sent') expect(typesIn(model, 'otp'), where).toEqual(['OtpIssued'])
      }
      // Some of the deaths are beyond the last step, and most are not.
      expect(survived).toBeGreaterThan(0)
      expect(survived).toBeLessThan(deaths.length)
    },
  )
})

it('a repetition after a death is a passcode of its own', async () => {
  const model = await funded()
  await expect(send({ model, death: { at: 4, after: true } })).rejects.toThrow(Died)
  const { verificationId } = await send({ model })
  expect(typesIn(model, 'message')).toEqual(['PasscodeAccepted', 'PasscodeAccepted', 'MessageSent'])
  expect(eventsOf<OtpEvent>(model, 'otp')).toMatchObject([{ data: { verificationId } }])
})

it('a passcode that another process may be sending by now is not given to the provider, and costs nothing', async () => {
  const model = await funded()
  let asked = 0
  const error = await send({ model, mayStillSend: () => ++asked > 1 }).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'otp_provider_failed' })
  expect(asked).toBe(1)
  expect(typesIn(model, 'otp')).toEqual([])
  expect(await verifyWallet(model.log, workspaceId)).toMatchObject({ ok: true, balance: CREDITS, held: 0 })
})

describe('a passcode for which a gate is closed once the provider is free for it', () => {
  it.each([
    ['sender_id_not_approved', 'sender_id_not_approved'],
    ['workspace_not_active', 'undeliverable'],
  ] as const)('(%s) is not given to it, costs nothing, and is answered so', async (code, reason) => {
    for (const gate of [() => new Refused(code), async () => new Refused(code)]) {
      const model = await funded()
      let calls = 0
      const answer: ProviderAnswer = async () => ({ providerMessageId: `p${++calls}` })
      await expect(send({ model, answer, gate })).rejects.toThrow(code)
      expect(calls).toBe(0)
      expect(eventsOf<MessageEvent>(model, 'message')).toMatchObject([
        { type: 'PasscodeAccepted' },
        { type: 'MessageFailed', data: { reason, detail: null } },
      ])
      expect(typesIn(model, 'otp')).toEqual([])
      expect(await verifyWallet(model.log, workspaceId)).toMatchObject({ ok: true, balance: CREDITS, held: 0 })
    }
  })

  it('is asked once more where it had to read, as it may have closed meanwhile', async () => {
    const model = await funded()
    const said = [null, new Refused('workspace_not_active')]
    await expect(send({ model, gate: async () => said.shift() ?? null })).rejects.toThrow('workspace_not_active')
    expect(said).toEqual([])
  })
})
