import type { CustomFieldOption, EventItem, Page, SmsSenderIdOption } from '@tidings/contracts'
import { WEBHOOK_EVENTS } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf, outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let acme: Client

const FILE = `
customFields:
  - { key: size, label: Shoe size, kind: select, options: [{ label: Small, value: s }, { label: Large, value: l }] }
  - { key: colours, label: colours, kind: multiSelect, options: [{ label: Red, value: r }] }
  - { key: born, label: Born on, kind: date }
  - { key: twin, label: born on, kind: text }
  - { key: Ünicode key, label: Ärger ☕, kind: url }
smsSenderIds:
  - { id: Zeta, status: approved }
  - { id: acme, status: approved }
  - { id: BETA, status: approved }
  - { id: Waiting }
  - { id: Refused, status: rejected }
customEvents:
  - { name: order_placed, label: Order placed, properties: [orderId, total] }
  - { name: Abandoned, label: Left alone }
  - { name: plain }
  - { name: gone, retired: true }`

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme', FILE)
})
afterAll(() => world.stop())

const lookUp = async <Item>(path: string, client = acme): Promise<Page<Item>> => dataOf(await client.request('GET', path), 200)
const fields = (query = '') => lookUp<CustomFieldOption>(`/public/custom-fields${query}`)
const senders = (query = '') => lookUp<SmsSenderIdOption>(`/public/sms-sender-ids${query}`)
const events = (query = '') => lookUp<EventItem>(`/public/events${query}`)
const again = (file: string) => world.apply(`workspace: { slug: acme, name: acme }\n${file}`)

describe('the custom fields', () => {
  it('are listed by label, whatever its case', async () => {
    const { items, ...page } = await fields()
    expect(page).toEqual({ limit: 50, offset: 0, total: 5, has_more: false, next_cursor: null })
    expect(items.map(({ label }) => label.toLowerCase())).toEqual(['ärger ☕', 'born on', 'born on', 'colours', 'shoe size'])
  })

  it('tell key, allowed values and options', async () => {
    const { items } = await fields()
    const named = (label: string) => items.find((item) => item.label === label)
    expect(named('Shoe size')).toEqual({
      value: acme.applied.customFields.size,
      label: 'Shoe size',
      kind: 'select',
      key: 'size',
      allowedValues: ['s', 'l'],
      options: [
        { label: 'Small', value: 's' },
        { label: 'Large', value: 'l' },
      ],
    })
    expect(named('Born on')).toMatchObject({ kind: 'date', key: 'born', allowedValues: null, options: [] })
    expect(named('Ärger ☕')).toMatchObject({ kind: 'url', key: 'Ünicode key' })
  })

  it('come in pages that never overlap', async () => {
    const all = (await fields()).items.map(({ value }) => value)
    expect(await fields('?limit=2')).toMatchObject({ limit: 2, total: 5, has_more: true, next_cursor: '2' })
    const paged = await Promise.all([0, 2, 4].map(async (offset) => (await fields(`?limit=2&offset=${offset}`)).items))
    expect(paged.flat().map(({ value }) => value)).toEqual(all)
    expect(await fields('?offset=9')).toMatchObject({ items: [], offset: 9, total: 5, has_more: false, next_cursor: null })
  })

  it('change with the file, under the id they have', async () => {
    const { customFields } = await again('customFields: [{ key: size, label: Zize, kind: text }]')
    expect(customFields.size).toBe(acme.applied.customFields.size)
    expect((await fields()).items.at(-1)).toMatchObject({ value: customFields.size, label: 'Zize', kind: 'text', allowedValues: null })
  })
})

describe('the SMS sender IDs', () => {
  const names = async () => (await senders()).items.map(({ value }) => value)

  it('are those that may be used, by name', async () => {
    const { items, ...page } = await senders()
    expect(page).toEqual({ limit: 50, offset: 0, total: 3, has_more: false, next_cursor: null })
    expect(items).toEqual(['acme', 'BETA', 'Zeta'].map((name) => ({ value: name, label: name })))
    expect(await senders('?limit=1&offset=1')).toMatchObject({ items: [{ value: 'BETA' }], total: 3, has_more: true, next_cursor: '2' })
  })

  it('go when they are rejected, and come when they are approved, in the casing that came first', async () => {
    await again('smsSenderIds: [{ id: ZETA, status: rejected }, { id: WAITING, status: approved }]')
    expect(await names()).toEqual(['acme', 'BETA', 'Waiting'])
    await again('smsSenderIds: [{ id: zeta, status: approved }]')
    expect(await names()).toEqual(['acme', 'BETA', 'Waiting', 'Zeta'])
  })
})

describe('the event catalogue', () => {
  it('begins with the 29 built-in events, in the order of the contract', async () => {
    const { items, ...page } = await events()
    expect(page).toEqual({ limit: 50, offset: 0, total: 32, has_more: false, next_cursor: null })
    expect(items.slice(0, 29)).toEqual(WEBHOOK_EVENTS.map((name) => ({ value: name, label: name, kind: 'system' })))
  })

  it('goes on with the active events of the workspace, by name', async () => {
    expect((await events('?offset=29')).items).toEqual([
      { value: 'Abandoned', label: 'Left alone', kind: 'custom_event', properties: [] },
      { value: 'order_placed', label: 'Order placed', kind: 'custom_event', properties: ['orderId', 'total'] },
      { value: 'plain', label: 'plain', kind: 'custom_event', properties: [] },
    ])
    expect(await events('?limit=2&offset=28')).toMatchObject({
      items: [{ value: 'loyalty.referral' }, { value: 'Abandoned' }],
      total: 32,
      next_cursor: '30',
    })
  })

  it('leaves out what is retired, until it is not', async () => {
    await again('customEvents: [{ name: gone, retired: false }, { name: plain, retired: true }]')
    expect((await events('?offset=29')).items.map(({ value }) => value)).toEqual(['Abandoned', 'gone', 'order_placed'])
  })

  it('is the built-in events alone where there are no others', async () => {
    const other = await world.workspace('other')
    expect(await lookUp('/public/events', other)).toMatchObject({ total: 29 })
    expect(await lookUp('/public/custom-fields', other)).toMatchObject({ items: [], total: 0 })
    expect(await lookUp('/public/sms-sender-ids', other)).toMatchObject({ items: [], total: 0 })
  })
})

describe.each(['/public/custom-fields', '/public/sms-sender-ids', '/public/events'])('%s', (path) => {
  it.each([
    ['?page=1', 'property page should not exist'],
    ['?search=a', 'property search should not exist'],
    ['?kind=system', 'property kind should not exist'],
    ['?limit=101', 'limit must not be greater than 100'],
    ['?limit=0', 'limit must not be less than 1'],
    ['?limit=many', 'limit must be an integer number'],
    ['?limit=1&limit=2', 'limit must be an integer number'],
    ['?offset=-1', 'offset must not be less than 0'],
    ['?offset=1e3', 'offset must be an integer number'],
    ['?x%00=1', 'Request contains invalid characters'],
  ])('%s is 400', async (query, message) => {
    expect(outcome(await acme.request('GET', `${path}${query}`))).toEqual(uncoded(400, message))
  })
})
