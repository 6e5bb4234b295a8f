import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { DETAIL_KINDS, eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { describe, expect, test } from 'vitest'
import type { Recorded } from '../src/event-log.ts'
import type { KeyRing } from '../src/keys/key-ring.ts'
import { createEventLog } from '../src/typed-event-log.ts'
import { upcasters } from '../src/upcast/upcasters.ts'
import { fileOf, LAYERED, readJson, type Sample, type SampleKeys, sampleKeyRing } from './samples.ts'

const names = readdirSync(fileOf('.'))
  .filter((name) => name.endsWith('.json') && !name.endsWith('.expected.json') && name !== 'keys.json')
  .sort()

const decoded = async (name: string, keyRing: KeyRing): Promise<Recorded> => {
  const { stream, ...stored } = readJson<Sample>(name)
  const store = memoryEventStore()
  await store.append(stream, 'any', [stored])
  const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
  const { events } = await log.readAll('start', 1)
  await log.close()
  return events[0]!
}

test('every declared type has a sample of each of its versions, and nothing else has one', () => {
  const declared = Object.entries(eventDeclarations).flatMap(([type, { version }]) =>
    Array.from({ length: version }, (_, n) => `${type}.v${n + 1}.json`),
  )
  for (const version of LAYERED) declared.push(`${version}.layers.json`)
  expect(names).toEqual(declared.sort())
})

test('no sample has changed since it was made', () => {
  const lines = readFileSync(fileOf('samples.sha256'), 'utf8').trim().split('\n')
  const listed = lines.map((line) => line.split('  ')[1]!)
  const actual = listed.map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(fileOf(name)))
        .digest('hex')}  ${name}`,
  )
  expect(actual).toEqual(lines)
  expect([...listed].sort()).toEqual([...names, 'keys.json'].sort())
})

describe.each(names)('%s', (name) => {
  const expected = readJson<object>(name.replace('.json', '.expected.json'))
  // What an older version left in clear stays readable.
  const isSealed = readJson<Sample>(name).data.includes('"$enc"')
  const personal = isSealed ? (eventDeclarations[name.split('.')[0]!]?.personal?.fields ?? []) : []

  test("reads in today's shape", async () => {
    const event = await decoded(name, await sampleKeyRing())
    expect(event.data).toEqual(expected)
    expect(event.erased).toBe(false)
  })

  test('reads without the details of its kinds once they have ended, whether or not it is sealed in layers', async () => {
    const keyRing = await sampleKeyRing()
    const { workspaceId } = readJson<SampleKeys>('keys.json').keys[0]!
    for (const kind of DETAIL_KINDS) await keyRing.endDetails({ workspaceId, kind, until: '2026-11-23' })
    const event = await decoded(name, keyRing)
    const ending = isSealed ? (eventDeclarations[name.split('.')[0]!]?.personal?.ending ?? {}) : {}
    const hidden = new Set(Object.values(ending).flat())
    expect(event.data).toEqual(
      Object.fromEntries(Object.entries(expected).map(([field, value]) => [field, hidden.has(field) ? null : value])),
    )
    const held = DETAIL_KINDS.filter((kind) =>
      ending[kind]?.some((field) => Object.entries(expected).some(([at, value]) => at === field && value !== null)),
    )
    expect(event.ended ?? []).toEqual(held)
    expect(event.erased).toBe(false)
  })

  test('reads without anything personal once its subject is erased', async () => {
    const keyRing = await sampleKeyRing()
    for (const { workspaceId, subject } of readJson<SampleKeys>('keys.json').keys) await keyRing.shred(workspaceId, subject)
    const event = await decoded(name, keyRing)
    const clear = Object.entries(expected).filter(([field]) => !personal.includes(field))
    const blank = personal.map((field) => [field, null])
    expect(event.erased).toBe(personal.length > 0)
    expect(event.data).toEqual(Object.fromEntries([...clear, ...blank]))
  })
})
