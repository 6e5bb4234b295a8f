import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { describe, expect, test } from 'vitest'
import type { Recorded } from '../src/event-log.ts'
import type { KeyRing } from '../src/keys/key-ring.ts'
import { createEventLog } from '../src/typed-event-log.ts'
import { upcasters } from '../src/upcast/upcasters.ts'
import { fileOf, readJson, type Sample, type SampleKeys, sampleKeyRing } from './samples.ts'

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
