import { expect, it } from 'vitest'
import { bodyOf, draftOf, isComplete, NEW_FORM, originsIn, snippetOf } from '../../../src/screens/forms/draft.ts'

it('is complete with a list, and with a mail where it asks', () => {
  expect(isComplete(NEW_FORM)).toBe(false)
  const plain = { ...NEW_FORM, listId: 'l', templateId: 't' }
  expect([isComplete(plain), bodyOf(plain)]).toEqual([true, { listId: 'l', confirmation: null }])
  const asking = { ...plain, asks: true }
  expect(isComplete(asking)).toBe(false)
  expect(isComplete({ ...asking, from: 'hello@acme.example' })).toBe(true)
  const form = {
    list: { id: 'l', name: null },
    archived: true,
    confirmation: { template: { id: 't', name: null }, from: 'hello@acme.example' },
  }
  expect(bodyOf(draftOf(form))).toEqual({ listId: 'l', confirmation: { templateId: 't', from: 'hello@acme.example' } })
})

it('takes an origin from each line', () => {
  expect(originsIn(' https://a.example \r\n\n  \nhttps://b.example')).toEqual(['https://a.example', 'https://b.example'])
})

it('writes a tag that says no more than its attributes, whatever a form is called', () => {
  const tag = snippetOf({ script: 'https://mail.example/forms/embed.js', slug: 'acme', formId: '"><script>&', key: null })
  expect(tag).toContain('data-form-id="&quot;>&lt;script>&amp;"></script>')
  expect(tag).toContain('data-key="pk_evt_…"')
  expect(snippetOf({ script: 's', slug: 'acme', formId: 'f', key: 'pk_evt_1' })).toContain('data-key="pk_evt_1"')
})
