import { createHmac, createSecretKey } from 'node:crypto'
import { asContactId, asMessageId, asWorkspaceId } from '@tidings/domain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeRequest, encodeRequest, type LinkRequest } from '../../src/links/link-token.ts'
import { type DeriveKey, openToken, sealToken, tokenKeys } from '../../src/links/sealed-token.ts'

const derived =
  (master: string): DeriveKey =>
  (purpose) =>
    createSecretKey(createHmac('sha256', master).update(purpose).digest())
const keys = tokenKeys(derived('one'))
const others = tokenKeys(derived('two'))

const uuid = fc.uuid()
const workspaceId = uuid.map(asWorkspaceId)
const request: fc.Arbitrary<LinkRequest> = fc.oneof(
  fc.record({ kind: fc.constant('open' as const), workspaceId, messageId: uuid.map(asMessageId) }),
  fc.record({
    kind: fc.constant('click' as const),
    workspaceId,
    messageId: uuid.map(asMessageId),
    link: fc.nat({ max: 65_535 }),
    url: fc.webUrl({ withQueryParameters: true }),
  }),
  fc.record({ kind: fc.constant('unsubscribe' as const), workspaceId, messageId: uuid.map(asMessageId), contactId: uuid.map(asContactId) }),
  fc.record({ kind: fc.constant('confirm' as const), workspaceId, messageId: uuid.map(asMessageId) }),
)
const token = request.map((one) => sealToken(keys, encodeRequest(one)))

describe('a token', () => {
  it('opens to what was sealed, under any of the keys', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const sealed = sealToken(keys, encodeRequest(asked))
        const opened = openToken([others, keys], sealed)
        expect(opened && decodeRequest(opened)).toEqual(asked)
      }),
    )
  })

  it('is the same for the same, and needs no escaping in a URL or an attribute', () => {
    fc.assert(
      fc.property(request, (asked) => {
        expect(sealToken(keys, encodeRequest(asked))).toBe(sealToken(keys, encodeRequest(asked)))
        expect(sealToken(keys, encodeRequest(asked))).toMatch(/^[A-Za-z0-9_-]+[A-Za-z0-9]$/)
      }),
    )
  })

  it('that was made before tokens had a letter or a digit at their end still opens', () => {
    expect(openToken([keys], 'AeecEaDbN1O468sw9AZfnirRDNrueFZRxFt-')?.toString()).toBe('link 00100')
  })

  it('with any character changed, added or taken away is refused', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    fc.assert(
      fc.property(token, fc.nat(), fc.constantFrom(...alphabet), (sealed, where, other) => {
        const at = where % sealed.length
        fc.pre(sealed[at] !== other)
        expect(openToken([keys], sealed.slice(0, at) + other + sealed.slice(at + 1))).toBeNull()
        expect(openToken([keys], sealed.slice(0, at) + other + sealed.slice(at))).toBeNull()
        expect(openToken([keys], sealed.slice(0, at) + sealed.slice(at + 1))).toBeNull()
      }),
    )
  })

  it('of another key is refused', () => {
    fc.assert(fc.property(token, (sealed) => void expect(openToken([others], sealed)).toBeNull()))
  })

  it('shows nothing of its content', () => {
    fc.assert(
      fc.property(uuid.map(asWorkspaceId), uuid, (workspaceId, messageId) => {
        const url = 'https://shop.example/?email=ada@example.com'
        const sealed = sealToken(keys, encodeRequest({ kind: 'click', workspaceId, messageId: asMessageId(messageId), link: 0, url }))
        const bytes = Buffer.from(sealed, 'base64url')
        for (const part of [Buffer.from('ada@example.com'), Buffer.from(messageId.replaceAll('-', ''), 'hex')])
          expect(bytes.includes(part)).toBe(false)
      }),
    )
  })
})

it('whatever else comes as a token is refused, however long', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (any) => void expect(openToken([keys], any)).toBeNull()))
  fc.assert(fc.property(fc.base64String({ maxLength: 300 }), (any) => void expect(openToken([keys], any)).toBeNull()))
  for (const any of ['', 'A', 'A'.repeat(4_096), 'A'.repeat(1_000_000)]) expect(openToken([keys], any)).toBeNull()
})

it('other bytes are no request', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      const known = decodeRequest(Buffer.from(bytes))
      expect(known === null || encodeRequest(known).length <= 80 * 3).toBe(true)
    }),
  )
  expect(decodeRequest(Buffer.from([9]))).toBeNull()
})

it('an id that is no UUID cannot be written into a link', () => {
  expect(() => encodeRequest({ kind: 'open', workspaceId: asWorkspaceId('w'), messageId: asMessageId('m') })).toThrow('not a UUID')
})
