import { expect, it } from 'vitest'
import { createTwilioCallbacks } from '../../src/twilio/callbacks.ts'
import { twilioSignature } from '../../src/twilio/signature.ts'

const account = { sid: 'AC1', token: 'secret', origin: 'https://api.example', basePath: '', callerId: null }
const URL_ = 'https://mail.acme.example/api/v1/providers/twilio/status'
const callbacks = createTwilioCallbacks([account], 'https://mail.acme.example')
const AT = new Date('2026-11-24T00:00:00.000Z')
const LOOKS_SIGNED = `${'A'.repeat(27)}=`
const formOf = (names: number) => `AccountSid=AC1&${Array.from({ length: names }, (_, n) => `n${n}=v`).join('&')}`
const signed = (body: string) => ({
  search: '',
  body,
  signature: twilioSignature({ url: URL_, params: new URLSearchParams(body) }, 'secret'),
})

it('a signed form of every size that Twilio sends is taken, also with names that repeat', () => {
  for (const names of [0, 1, 60, 240]) expect(callbacks.status(signed(`${formOf(names)}&n0=v&n0=w`), AT)).not.toBeNull()
})

it.each([
  ['without a signature', undefined, formOf(3)],
  ['with one that is none', 'x', formOf(3)],
  ['with a long one', 'A'.repeat(100_000), formOf(3)],
  ['with one of another form', LOOKS_SIGNED, formOf(3)],
  ['of an account that is not ours', LOOKS_SIGNED, 'AccountSid=AC2&a=b'],
  ['of no account', LOOKS_SIGNED, 'a=b'],
  ['with too many fields', LOOKS_SIGNED, formOf(1_001)],
  ['that is too large', LOOKS_SIGNED, `AccountSid=AC1&Body=${'x'.repeat(70_000)}`],
])('%s it is refused', (_, signature, body) => {
  expect(callbacks.status({ search: '', body, signature }, AT)).toBeNull()
})

it('the work of a signature grows with the fields, not with their square', () => {
  let reads = 0
  class Counted extends URLSearchParams {
    override getAll(name: string): string[] {
      reads++
      return super.getAll(name)
    }
    override get(name: string): string | null {
      reads++
      return super.get(name)
    }
  }
  const params = new Counted(formOf(10_000))
  expect(twilioSignature({ url: URL_, params }, 'secret')).toBe(
    twilioSignature({ url: URL_, params: new URLSearchParams(formOf(10_000)) }, 'secret'),
  )
  expect(reads).toBe(0)
})
