import type { WorkspaceSettings } from '@tidings/contracts'
import { expect, it } from 'vitest'
import {
  generalBody,
  generalDraft,
  type MarketingDraft,
  marketingBody,
  marketingDraft,
  marketingMistake,
  repliesBody,
  repliesDraft,
} from '../../../src/screens/settings-workspace/draft.ts'

const etag = 'e'
const rules = { timezone: 'UTC', quietHours: { from: '21:00', to: '08:00' }, frequencyCap: { messages: 2, days: 9 }, etag }

it.each<WorkspaceSettings['marketing']>([rules, { ...rules, quietHours: null }, { ...rules, frequencyCap: null }])(
  'what is read and saved again is the same',
  (read) => {
    expect({ ...marketingBody(marketingDraft(read)), etag }).toEqual(read)
    expect(marketingMistake(marketingDraft(read))).toBeNull()
  },
)

const draft = marketingDraft(rules)
it.each<readonly [Partial<MarketingDraft>, ReturnType<typeof marketingMistake>]>([
  [{ from: '' }, 'times'],
  [{ to: '21:00' }, 'sameTimes'],
  [{ from: '', isQuiet: false }, null],
  [{ messages: '0' }, 'cap'],
  [{ messages: '1001' }, 'cap'],
  [{ messages: '1e3' }, 'cap'],
  [{ days: '91' }, 'cap'],
  [{ days: ' 7' }, 'cap'],
  [{ days: '', isCapped: false }, null],
])('%j is wrong in %s', (typed, mistake) => {
  expect(marketingMistake({ ...draft, ...typed })).toBe(mistake)
})

it('an empty answer is none, and letters of a country are capital', () => {
  expect(repliesBody({ ...repliesDraft({ stop: 'Bye', start: null, help: null, etag }), start: ' \n' })).toEqual({
    ...{ stop: 'Bye', start: null, help: null },
  })
  const read = { name: 'Acme', country: 'IL', tracking: true, etag }
  expect(generalBody({ ...generalDraft(read), country: 'de ' })).toEqual({ name: 'Acme', country: 'DE', tracking: true })
})
