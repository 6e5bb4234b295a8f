import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asContactId, type Json, noDetails, unknownContact } from '@tidings/domain'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { joinedTexts, splitTexts } from '../src/file/csv-cell.ts'
import { openPeopleFile } from '../src/file/people-file.ts'
import { type Person, personOf } from '../src/line/person-of.ts'
import { canNameColumn, csvHeader, csvLine } from '../src/list/csv-line.ts'
import type { ListedPerson } from '../src/list/listed-person.ts'
import { changedDetails } from '../src/write/known-person.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'listed-again-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const KINDS = new Map()
const ANN: ListedPerson = {
  ...{ id: '1', email: 'ann@x.test', phone: null, ...noDetails, tags: [], customProperties: {} },
  ...{ emailConsent: 'never_subscribed', emailConsentSource: null, emailConsentTimestamp: null },
  ...{ smsConsent: 'never_subscribed', smsConsentSource: null, smsConsentTimestamp: null },
  ...{ pushConsent: 'never_subscribed', pushConsentTimestamp: null, emailValidationState: 'unknown', rfmTier: null },
  ...{ emailSuppressed: false, smsSuppressed: false },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
}

/** The person that a list of this one brings. */
const listedAgain = async (person: ListedPerson): Promise<Person> => {
  const file = join(folder, 'list.csv')
  const keys = Object.keys(person.customProperties).filter(canNameColumn)
  await writeFile(file, csvHeader(keys) + csvLine(person, keys, KINDS))
  const { rows } = await openPeopleFile({ file, map: new Map() })
  for await (const row of rows())
    if ('cells' in row) return personOf(row.cells, { country: 'IL', kinds: KINDS, now: '2026-12-01T00:00:00.000Z' })
  throw new Error('the list has no line')
}

const KEYS = [
  '',
  'size ',
  '\u200fsize',
  'size\u200f',
  '=cmd',
  "'=cmd",
  'a\r\nb',
  'a\nb',
  'a,b"c',
  'constructor',
  'k'.repeat(5_000),
  '-',
  '1',
]

it('keeps properties under keys that can name no column', async () => {
  const customProperties: Record<string, Json> = Object.fromEntries(KEYS.map((key, n) => [key, `value ${n}`]))
  const { details } = await listedAgain({ ...ANN, customProperties: { ...customProperties, size: 'its own' } })
  expect(details.customProperties).toEqual({ ...customProperties, size: 'its own' })
})

it.each([
  ['a\\', 'b'],
  ['a|b', 'c\\|d', '\\\\|'],
  ['\\', '\\\\', '|'],
  ['C:\\Temp', 'x\\'],
  ['=1+1', "'=1"],
])('keeps the tags %s and %s', async (...tags) => {
  expect((await listedAgain({ ...ANN, tags })).details.tags).toEqual(tags)
})

it('takes what people write for tags', () => {
  expect(splitTexts('C:\\Temp|x\\')).toEqual(['C:\\Temp', 'x\\'])
  expect(splitTexts('a\\|b|c')).toEqual(['a|b', 'c'])
  expect(splitTexts(joinedTexts([]))).toEqual([])
})

it('changes nothing of a person whose texts no cell shows as they are', async () => {
  const odd = {
    ...{ firstName: ' Ann ', lastName: '\u200fNoa', notes: 'one\r\ntwo\n', tags: [' vip', 'b'], timezone: null, locale: null },
    customProperties: { ' text ': ' x ', lines: 'a\r\nb', list: [' a', 'b|'], '': 1 },
  }
  const person = await listedAgain({ ...ANN, ...odd })
  const contactId = asContactId('ann')
  const known = { contactId, state: { ...unknownContact, exists: true, details: { ...noDetails, ...odd } }, last: {} }
  expect(changedDetails(person, known)).toEqual({ customProperties: {} })
})
