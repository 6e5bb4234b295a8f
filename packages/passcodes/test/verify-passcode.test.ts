import { contextOf, type ModelLog, modelLog } from '@tidings/commands/testing'
import { type OtpEvent, otpStream } from '@tidings/domain'
import { expect, it } from 'vitest'
import { newVerificationId } from '../src/new-passcode.ts'
import { verifyPasscode } from '../src/verify-passcode.ts'
import { type Death, Died, digests, NEVER, startProcess } from './testing/dying-process.ts'

const { workspaceId } = contextOf('any')
const verificationId = newVerificationId()
const stream = otpStream(workspaceId, verificationId)
const code = '012345'

const issued = async (): Promise<ModelLog> => {
  const model = modelLog()
  const data = {
    verificationId,
    messageId: 'm',
    channel: 'sms',
    phone: '+972501234567',
    digest: digests.make(verificationId, code),
    expiresAt: '2026-01-01T00:05:00.000Z',
  }
  await model.log.append(stream, 'no_stream', [{ type: 'OtpIssued', data }], contextOf('issue'))
  return model
}

type Attempt = Readonly<{ code: string; death?: Death; command?: string; at?: string; spent?: string[] }>

const startVerifying = (model: ModelLog, death = NEVER) => {
  const { log, parts } = startProcess(model, { death, answer: async () => ({ providerMessageId: '' }) })
  return (attempt: Attempt) =>
    verifyPasscode(
      { ...parts, log, onSpent: ({ messageId }) => attempt.spent?.push(messageId) },
      {
        context: { ...contextOf(attempt.command ?? 'attempt'), at: attempt.at ?? '2026-01-01T00:00:00.000Z' },
        verificationId,
        code: attempt.code,
      },
    )
}
const verify = (model: ModelLog, { death, ...attempt }: Attempt) => startVerifying(model, death)(attempt)
const typesIn = (model: ModelLog) => model.events<OtpEvent>(stream).map(({ type }) => type)

it('a passcode lives 300 seconds by the server’s clock', async () => {
  const model = await issued()
  expect(await verify(model, { code, at: '2026-01-01T00:05:00.000Z' })).toEqual({ verified: false, reason: 'expired_or_unknown' })
  expect(await verify(model, { code, at: '2026-01-01T00:04:59.999Z', command: 'other' })).toEqual({ verified: true })
})

it.each(['012 345', '012-345', ' 012345\n', '\u200f012345\u200e', '０１２３４５', '٠١٢٣٤٥', '۰۱۲ ۳۴۵', '0\u00a01 2–3.4/5', '\ufeff012345'])(
  'a passcode that is typed as %j is right at the first attempt',
  async (typed) => {
    const model = await issued()
    expect(await verify(model, { code: typed })).toEqual({ verified: true })
    expect(typesIn(model)).toEqual(['OtpIssued', 'OtpVerified'])
  },
)

it.each(['12345', '0123456', '012345a', '+012345', '112345', ''])('one that is typed as %j is wrong', async (typed) => {
  expect(await verify(await issued(), { code: typed })).toEqual({ verified: false, reason: 'code_mismatch' })
})

it('a passcode that was used or discarded is spent, and one that was guessed wrong is not', async () => {
  const spent: string[] = []
  const model = await issued()
  const guesses = Array.from({ length: 5 }, (_, n) => `guess ${n}`)
  for (const command of guesses) await verify(model, { code: '999999', command, spent })
  expect(spent).toEqual([])
  await verify(model, { code, command: 'sixth', spent })
  expect(spent).toEqual(['m'])
  await verify(model, { code, command: 'seventh', spent })
  expect(spent).toEqual(['m'])
})

it.each([
  ['wrong', '999999', { verified: false, reason: 'code_mismatch' }, 'OtpAttemptFailed'],
  ['right', code, { verified: true }, 'OtpVerified'],
] as const)('a %s attempt whose process dies counts once, and its repetition has its result', async (_, given, result, event) => {
  for (const death of [1, 2].flatMap((at) => [false, true].map((after) => ({ at, after })))) {
    const model = await issued()
    await expect(verify(model, { code: given, death })).rejects.toThrow(Died)
    const [first, second] = [startVerifying(model), startVerifying(model)]
    expect(await first({ code: given })).toEqual(result)
    expect(await first({ code: given })).toEqual(result)
    expect(await second({ code: given })).toEqual(result)
    expect(typesIn(model)).toEqual(['OtpIssued', event])
  }
})

it('a repetition has the result of its own attempt, whatever others did since', async () => {
  const model = await issued()
  const [stale, other] = [startVerifying(model), startVerifying(model)]
  await stale({ code: '000000', command: 'before' })
  for (let n = 0; n < 4; n++) await other({ code: '999999', command: `guess ${n}` })
  // The sixth: the process that knows only the first of them repeats it.
  expect(await other({ code, command: 'sixth' })).toEqual({ verified: false, reason: 'too_many_attempts' })
  expect(await stale({ code, command: 'sixth' })).toEqual({ verified: false, reason: 'too_many_attempts' })
  expect(await stale({ code: '000000', command: 'before' })).toEqual({ verified: false, reason: 'code_mismatch' })
})
