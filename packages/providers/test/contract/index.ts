import { describe, expect, test } from 'vitest'
import type { SmsProvider } from '../../src/sms/port.ts'
import type { VoiceProvider } from '../../src/voice/port.ts'
import { type Harness, newNumber, type Outgoing, options, type Sending } from './harness.ts'
import { type Adapter, contract, newIds, sharedScenarios } from './register.ts'

export { type EmailHarness, type EmailOtherSide, emailProviderContract } from './email.ts'
export type { Harness, OtherSide } from './harness.ts'
export { type PushHarness, pushProviderContract } from './push.ts'

/** Registers every scenario of an SMS provider over one opened adapter. Nothing in it asserts a duration. */
export function smsProviderContract(name: string, adapter: Adapter<Harness<SmsProvider>>): void {
  contract(`${name} keeps the contract of an SMS provider`, adapter, (harness) => {
    const sendBy =
      ({ provider }: Harness<SmsProvider>): Sending['send'] =>
      ({ text, ...message }, sendOptions) =>
        provider.send({ ...newIds(), ...message, from: 'Acme', body: text }, sendOptions)
    sharedScenarios({ harness, adapter, sendBy, carriesPasscodes: true })
    test('a message has the sender it was given', async () => {
      const to = newNumber()
      await sendBy(harness())({ to, text: 'Hi' }, options)
      expect((await harness().taken()).find((taken) => taken.to === to)).toMatchObject({ from: 'Acme' })
    })

    describe('a message whose sender has an own number', () => {
      /** `now`: the number at the fence; it is another before and after. */
      const sendFrom = async (now: string | null, fail: 'never' | 'once' = 'never'): Promise<readonly string[]> => {
        const to = newNumber()
        let known: string | null = '+972509999999'
        let asked = 0
        const fence = async (): Promise<void> => {
          if (fail === 'once' && ++asked === 1) throw new Error('another worker has it')
          known = now
        }
        const message = { ...newIds(), to, from: 'Acme', body: 'Hi', ownNumber: () => known }
        await harness()
          .provider.send(message, { ...options, fence })
          .catch(() => harness().provider.send(message, { ...options, fence }))
        known = '+972508888888'
        // A number is without its plus in SMPP, where its type says that it is international.
        return (await harness().taken()).filter((taken) => taken.to === to).map(({ from }) => from.replace('+', ''))
      }

      test('leaves from that number, as it is at the fence', async () => {
        expect(await sendFrom('+972501110000')).toEqual(['972501110000'])
        expect(await sendFrom('+972502220000', 'once')).toEqual(['972502220000'])
      })

      test('leaves from its name where the number is gone at the fence', async () => {
        expect(await sendFrom(null)).toEqual(['Acme'])
      })
    })
  })
}

/** Registers every scenario of a provider of calls over one opened adapter. Nothing in it asserts a duration. */
export function voiceProviderContract(name: string, adapter: Adapter<Harness<VoiceProvider>>): void {
  contract(`${name} keeps the contract of a provider of calls`, adapter, (harness) => {
    const call = (to: Omit<Outgoing, 'text'>, message: string, code: string) => ({
      ...newIds(),
      ...to,
      from: '+97231234567',
      message,
      code,
      locale: 'en',
    })
    const sendBy =
      ({ provider }: Harness<VoiceProvider>): Sending['send'] =>
      ({ text, ...to }, sendOptions) => {
        const code = /\d{6}$/.exec(text)?.[0] ?? ''
        return provider.call(call(to, text.slice(0, text.length - code.length) + (code && '{{code}}'), code), sendOptions)
      }
    sharedScenarios({ harness, adapter, sendBy, carriesPasscodes: true })
    test('a call reads its code digit by digit', async () => {
      const to = newNumber()
      await harness().provider.call(call({ to }, 'Code {{code}}, $& once more', '493817'), options)
      expect((await harness().taken()).find((taken) => taken.to === to)?.text).toMatch(/^Code 4,? 9,? 3,? 8,? 1,? 7, \$& once more$/)
    })
  })
}
