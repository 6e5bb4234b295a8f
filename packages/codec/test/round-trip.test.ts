import { asWorkspaceId, eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { examples } from '../golden/examples.ts'
import { uuidv7 } from '../src/ids.ts'
import { memoryKeyRing } from '../src/keys/memory-key-store.ts'
import { createEventLog } from '../src/typed-event-log.ts'
import { upcasters } from '../src/upcast/upcasters.ts'

const keyRing = memoryKeyRing()
const workspaceId = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000a')
const context = () => ({ commandId: uuidv7(), workspaceId, actor: 'key:1', requestId: 'r-1', at: '2026-11-21T12:00:00.000Z' })
const over = (store = memoryEventStore()) => ({
  store,
  writer: createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing }),
  reader: createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing }),
})

const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', ''))
const json = fc.jsonValue({ stringUnit: 'grapheme' }).map((value): unknown => JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '')))

/** Any value of the kind that the example is. */
const like = (example: unknown): fc.Arbitrary<unknown> => {
  if (example === null) return fc.option(text)
  if (typeof example === 'string') return text
  if (typeof example === 'boolean') return fc.boolean()
  if (typeof example === 'number') return fc.integer()
  if (Array.isArray(example)) return fc.array(text)
  return fc.dictionary(text, json, { noNullPrototype: true })
}

/** Data of the type, any of its fields missing or null but those that name the subject. */
const anyDataLike = (example: object): fc.Arbitrary<Record<string, unknown>> => {
  const fields = Object.entries(example).map(([name, value]) => [name, name.endsWith('Id') ? fc.constant(value) : fc.option(like(value))])
  const required = Object.keys(example).filter((name) => name.endsWith('Id'))
  return fc.record(Object.fromEntries(fields), { requiredKeys: required, noNullPrototype: true })
}

describe.each(Object.entries(examples))('%s', (type, example) => {
  test('whatever it holds reads back exactly, by its writer and by others', async () => {
    await fc.assert(
      fc.asyncProperty(anyDataLike(example), async (data) => {
        const { writer, reader } = over()
        await writer.append('any-1', 'any', [{ type, data }], context())
        const asWritten = (await writer.readStream(workspaceId, 'any-1'))[0]
        const asRead = (await reader.readStream(workspaceId, 'any-1'))[0]
        expect(asRead?.data).toEqual(data)
        // A reader must not be able to tell whether the event came from the log or was still in memory: not by an order of fields either.
        const textOf = (event: typeof asRead) => JSON.stringify([event?.data, event?.meta])
        expect(textOf(asWritten)).toBe(textOf(asRead))
      }),
      { numRuns: 40 },
    )
  })

  test('nothing personal of it is readable in the log', async () => {
    const { writer, store } = over()
    await writer.append('any-1', 'any', [{ type, data: example }], context())
    const [event] = await store.readStream('any-1')
    const personal = eventDeclarations[type]?.personal?.fields ?? []
    const secrets = Object.entries(example).filter(([name, value]) => personal.includes(name) && value !== null)
    // In its quotation marks, as it would stand in the JSON: three letters alone may be those of a ciphertext.
    for (const secret of secrets.flatMap(([, value]) => stringsOf(value))) expect(event?.data).not.toContain(JSON.stringify(secret))
    for (const [name] of secrets) expect(JSON.parse(event!.data)).not.toHaveProperty(name)
  })
})

const stringsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : []
}
