import { catalogueEvents, webhookEvents } from '@tidings/contracts'
import { MESSAGE_EVENTS, WEBHOOK_EVENTS } from '@tidings/domain'
import { expect, it } from 'vitest'
import { readPage } from './markdown.ts'

const page = readPage('docs/reference/webhooks.md')

const linesOf = (title: string): readonly string[] => {
  const [, section = ''] = page.split(`\n## ${title}\n`)
  return section.split('\n## ')[0]?.split('\n') ?? []
}

const rowOf = (title: string, event: string): string =>
  linesOf(title).find((line) => line.startsWith('| `') && line.split(' | ')[0]?.includes(`\`${event}\``)) ?? ''

const builtIn = catalogueEvents.map(({ name }) => name)

it('the contract names the events of the domain, in their order', () => {
  expect(builtIn).toEqual(WEBHOOK_EVENTS)
})

it('the contract describes each event once, those of single messages too', () => {
  expect(webhookEvents.map(({ name }) => name)).toEqual([...new Set([...WEBHOOK_EVENTS, ...MESSAGE_EVENTS]), 'custom'])
})

it.each(builtIn)('%s fires, and a test shows it', (name) => {
  expect(rowOf('What makes each event fire', name)).toMatch(/\(\.\.\/\.\.\/test\/e2e\/[\w-]+\.e2e\.test\.ts\) \|$/)
})

it.each(['campaign.sent', 'sms.delivered', 'sms.failed', 'email.bounced'])('%s is shown with what it holds', (event) => {
  const data = webhookEvents.find(({ name }) => name === event)?.delivery.properties.data?.properties as object
  const row = rowOf('What each event holds', event)
  expect(Object.keys(data).filter((key) => !row.includes(`\`${key}\``))).toEqual([])
})

it('what each event holds is one table', () => {
  const lines = linesOf('What each event holds')
  const rows = lines.flatMap((line, at) => (line.startsWith('|') ? [at] : []))
  expect(rows.length).toBeGreaterThan(2)
  expect(rows).toEqual(Array.from({ length: rows.length }, (_, n) => (rows[0] ?? 0) + n))
})
