import { expect, test } from 'vitest'
import { htmlSections, jsonSections, sectionTexts } from '../../src/person/section-text.ts'

const TOKEN = `AQ${'aZ0_-9'.repeat(12)}`

test('what a person is given has no token of a link of ours, in a record, an item or a page', async () => {
  const url = `https://tidings.example/forms/confirm?t=${TOKEN}`
  const sections = [
    { name: 'profile', title: 'Profile', record: { notes: url, customProperties: { link: url } } },
    {
      name: 'messages',
      title: 'Messages',
      items: [{ content: { html: `<a href="${url}">Yes</a>` }, history: [{ detail: `552 ${url}` }] }],
    },
  ]
  let [data, page] = ['', '']
  for await (const [one = '', other = ''] of sectionTexts(sections, [jsonSections, htmlSections])) [data, page] = [data + one, page + other]
  expect([data, page].filter((text) => text.includes(TOKEN))).toEqual([])
  expect(JSON.parse(data)).toMatchObject({
    profile: { notes: 'https://tidings.example/forms/confirm?t=(secret)' },
    messages: [{ history: [{ detail: '552 https://tidings.example/forms/confirm?t=(secret)' }] }],
  })
})
