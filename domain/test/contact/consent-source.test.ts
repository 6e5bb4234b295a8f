import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ContactConsentRecorded } from '../../src/contact/contact.events.ts'
import { isSourceToken, keptSource, SEALED_SOURCE, saidSource, sourceWithoutPerson } from '../../src/contact/contact-channels.ts'
import { asContactId } from '../../src/ids.ts'

const TOKENS = [
  'api',
  'checkout.newsletter',
  'embedded_form',
  'import-2021',
  'A',
  'v1.2',
  '42',
  '2026-11',
  'x'.repeat(64),
  'fair-2026-11-28',
  'import.20261128',
  'import_2026-11-28_093000',
  'list.0192b1f0-0000-7000-8000-000000000001',
  'v1-2-3',
  'shop7-till12-row345',
]
const OTHERS = [
  ...[
    '',
    ' ',
    'from Ada Lovelace',
    'ada@example.com',
    '+972501112233',
    '972501112233',
    '050-111-2233',
    '050.111.22.33',
    'דוכן',
    'Käthe',
    'a\nb',
    ...[
      'tel972501112233',
      'sms.972501112233',
      'from-050-111-2233',
      'a.050--111..22_33',
      'ada.1112233',
      '2026-11-28',
      'c20269928',
      'x20261128000',
    ],
    ...[
      '0192b1f0-0000-7000-8000-00000000000',
      '972501112233.0192b1f0-0000-7000-8000-000000000001',
      'fair-2026-11-28-0501112233',
      'q4-2026.123456',
    ],
  ],
  ...['x'.repeat(65), 'api ', ' api', 'https://shop.example/?email=ada', 'a/b', 'ａｐｉ', 'ada\u200b', 'a:b'],
]

test.each(TOKENS)('%j is stored as it is', (source) => {
  expect(keptSource(source)).toEqual({ source })
  expect(sourceWithoutPerson(source)).toBe(source)
})

test.each(OTHERS)('%j is sealed, and no more than that stays of it', (source) => {
  expect(isSourceToken(source)).toBe(false)
  expect(keptSource(source)).toEqual({ source: SEALED_SOURCE, sourceText: source })
  expect(sourceWithoutPerson(source)).toBe(SEALED_SOURCE)
})

const recorded = (kept: Pick<ContactConsentRecorded['data'], 'source' | 'sourceText'>): ContactConsentRecorded['data'] => ({
  ...{ contactId: asContactId('c'), channel: 'email', from: 'subscribed', to: 'subscribed', ip: null, userAgent: null, message: null },
  ...kept,
})

test('whatever is said comes back, and what stays in clear is a token', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...TOKENS, ...OTHERS)), (source) => {
      const kept = keptSource(source)
      expect(saidSource(recorded(kept))).toBe(source)
      expect(isSourceToken(kept.source)).toBe(true)
      // An erased event reads like this.
      expect(isSourceToken(saidSource(recorded({ ...kept, sourceText: null })))).toBe(true)
    }),
  )
})
