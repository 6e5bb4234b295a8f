import { describe, expect, it } from 'vitest'
import type { CustomFieldOption } from '../../../src/api/calls.ts'
import { asText, draftOf, isSame, textsOf } from '../../../src/screens/template/draft.ts'
import { mergeWords } from '../../../src/screens/template/merge-words.ts'

const none = { subject: null, html: null, text: null, body: null, push: null, fromName: null }

describe('the texts of a template in its form', () => {
  it.each([
    ['email', { subject: 'Hi', html: '<p>x</p>' }],
    ['email', { subject: '', html: '', text: 'plain', fromName: 'Shop' }],
    ['sms', { body: 'Hello' }],
    ['push', { push: { title: 'T', body: 'B' } }],
    ['push', { push: { title: 'T', body: '', url: 'https://shop.example', icon: 'i' }, fromName: 'Shop' }],
  ] as const)('are what is sent of the channel %s, and nothing of another', (channel, texts) => {
    const push = 'push' in texts ? { url: null, icon: null, ...texts.push } : null
    expect(textsOf(channel, draftOf({ ...none, ...texts, push }))).toEqual(texts)
  })

  it('are the same until somebody types', () => {
    const draft = draftOf({ ...none, subject: 'Hi', html: '' })
    expect(isSame(draft, draftOf({ ...none, subject: 'Hi', html: null }))).toBe(true)
    expect(isSame(draft, { ...draft, text: ' ' })).toBe(false)
  })

  it('are one text to be compared, each behind its name', () => {
    expect(asText('email', draftOf({ ...none, subject: 'Hi', html: 'a\nb' }))).toBe('subject:\nHi\n\nhtml:\na\nb')
    const push = { title: 'T', body: 'B', url: 'u', icon: null }
    expect(asText('push', draftOf({ ...none, push }))).toBe('push.title:\nT\n\npush.body:\nB\n\npush.url:\nu')
  })
})

it('merge tags say where they come from: the person, the service, a custom field, or the send', () => {
  const size: CustomFieldOption = { value: '1', label: 'Shoe size', kind: 'number', key: 'size', allowedValues: null, options: [] }
  const from = { person: 'person', service: 'service', custom: 'custom', send: 'send' }
  const words = mergeWords([size], ['custom.other', 'custom.size', 'firstName', 'total'], from)
  expect(words.map((word) => `${word.key} ${word.from}`)).toEqual([
    ...['firstName person', 'lastName person', 'email person', 'phone person', 'unsubscribeUrl service'],
    ...['custom.size custom: Shoe size', 'custom.other custom', 'total send'],
  ])
})
