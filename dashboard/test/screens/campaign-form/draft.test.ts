import type { Campaign } from '@tidings/contracts'
import { asCampaignId, asListId, asTemplateId } from '@tidings/domain'
import { expect, it } from 'vitest'
import {
  draftOf,
  emptyDraft,
  isWeight,
  mistakeIn,
  settingsOf,
  withChannel,
  withTemplate,
} from '../../../src/screens/campaign-form/draft.ts'

const campaign: Campaign = {
  ...{ id: asCampaignId('c'), name: 'Sale', channel: 'email', status: 'draft', reason: null, listId: asListId('l'), listName: 'VIP' },
  ...{ templateId: asTemplateId('t'), variants: [], from: 'hello@acme.example', quietHours: 'skip', tagIds: ['tag'], archived: true },
  ...{ templates: [], scheduleAt: null, startedAt: null, createdAt: '', movedAt: '', movedBy: '', etag: 'e' },
}
const split: Campaign = {
  ...campaign,
  templateId: null,
  variants: [
    { templateId: asTemplateId('t'), weight: 3 },
    { templateId: asTemplateId('u'), weight: 1 },
  ],
}

it.each([campaign, split])('what is read and saved again is the same, also what the form does not show', (read) => {
  const { listId, templateId, variants, from, quietHours, tagIds, archived } = read
  expect(settingsOf(draftOf(read), read)).toEqual({ listId, templateId, variants, from, quietHours, tagIds, archived })
})

it('a draft need not be complete, but has a name', () => {
  expect(mistakeIn(emptyDraft)).toBe('name')
  expect(mistakeIn({ ...emptyDraft, name: '  ' })).toBe('name')
  expect(mistakeIn({ ...emptyDraft, name: 'Sale' })).toBeNull()
  expect(settingsOf({ ...emptyDraft, name: 'Sale' })).toEqual({
    ...{ listId: null, templateId: null, variants: [], from: null, quietHours: 'wait', tagIds: [], archived: false },
  })
})

it('several wordings need a template and a weight each', () => {
  const two = withTemplate(draftOf(campaign))
  expect(two.templates.map(({ key }) => key)).toEqual(['0', '1'])
  expect(mistakeIn(two)).toBe('template')
  const chosen = { ...two, templates: two.templates.map((row) => ({ ...row, templateId: 't' })) }
  expect(mistakeIn(chosen)).toBeNull()
  expect(mistakeIn({ ...chosen, templates: chosen.templates.map((row) => ({ ...row, weight: '0' })) })).toBe('weight')
})

it('a row that is added after one was removed has a key of its own', () => {
  const three = withTemplate(withTemplate(emptyDraft))
  const without = { ...three, templates: three.templates.filter(({ key }) => key !== '1') }
  expect(withTemplate(without).templates.map(({ key }) => key)).toEqual(['0', '2', '3'])
})

it.each(['', '0', '-1', '1.5', '1e3', '01', '1000001', 'a', '٣'])('%s is no weight', (text) => {
  expect(isWeight(text)).toBe(false)
})

it.each(['1', ' 7 ', '1000000'])('%s is a weight', (text) => {
  expect(isWeight(text)).toBe(true)
})

it('another channel has other templates and senders, and the same list', () => {
  const texts = withChannel(draftOf(split), 'sms')
  expect(texts).toMatchObject({ channel: 'sms', from: '', listId: 'l', templates: [{ templateId: '' }] })
  expect(withChannel(texts, 'sms')).toBe(texts)
})
