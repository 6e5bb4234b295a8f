import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { html, json, writeSections } from '../../src/person/write-sections.ts'

const TOKEN = `AQ${'aZ0_-9'.repeat(12)}`

test('what a person is given has no token of a link of ours, in a record, an item or a page', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-sections-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const url = `https://tidings.example/forms/confirm?t=${TOKEN}`
  const sections = [
    { name: 'profile', title: 'Profile', record: { notes: url, customProperties: { link: url } } },
    {
      name: 'messages',
      title: 'Messages',
      items: [{ content: { html: `<a href="${url}">Yes</a>` }, history: [{ detail: `552 ${url}` }] }],
    },
  ]
  const files = { json: join(folder, 'contact.json'), html: join(folder, 'contact.html') }
  await writeSections(sections, [
    { file: files.json, format: json },
    { file: files.html, format: html },
  ])
  const [data, page] = [await readFile(files.json, 'utf8'), await readFile(files.html, 'utf8')]
  expect([data, page].filter((text) => text.includes(TOKEN))).toEqual([])
  expect(JSON.parse(data)).toMatchObject({
    profile: { notes: 'https://tidings.example/forms/confirm?t=(secret)' },
    messages: [{ history: [{ detail: '552 https://tidings.example/forms/confirm?t=(secret)' }] }],
  })
})
