import { readdirSync, readFileSync } from 'node:fs'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from './markdown.ts'

type Schema = Readonly<{
  $defs: Readonly<Record<string, Readonly<{ properties: Readonly<{ data: Readonly<{ required?: readonly string[] }> }> }>>>
}>

const { $defs } = JSON.parse(readFileSync(`${ROOT}docs/reference/events.schema.json`, 'utf8')) as Schema
const golden = `${ROOT}packages/codec/golden/`
const samples = readdirSync(golden).filter((name) => name.endsWith('.expected.json'))
const dataIn = (sample: string): Record<string, unknown> => JSON.parse(readFileSync(`${golden}${sample}`, 'utf8'))
const typeOf = (sample: string): string => sample.split('.')[0] ?? ''

// Its validator is the only one here that speaks JSON Schema; it must change nothing to make a value fit.
let app: FastifyInstance
beforeAll(async () => {
  app = Fastify({ onProtoPoisoning: 'ignore', ajv: { customOptions: { coerceTypes: false, removeAdditional: false, strict: false } } })
  for (const [type, { properties }] of Object.entries($defs))
    app.post(`/${type}`, { schema: { body: properties.data } }, async () => 'fits')
  await app.ready()
})
afterAll(() => app.close())

const fits = async (type: string, data: object): Promise<boolean> =>
  (await app.inject({ method: 'POST', url: `/${type}`, payload: data })).statusCode === 200

describe.each(samples)('%s', (sample) => {
  const [type, data] = [typeOf(sample), dataIn(sample)]
  const { required = [] } = $defs[type]?.properties.data ?? {}

  it('fits the schema of its type', async () => {
    expect(await fits(type, data)).toBe(true)
  })

  it('fits no more when a required field is missing or of another type', async () => {
    for (const field of required) {
      const { [field]: _, ...rest } = data
      expect(await fits(type, rest), `without ${field}`).toBe(false)
      if (typeof data[field] === 'string') expect(await fits(type, { ...rest, [field]: 7 }), `a number as ${field}`).toBe(false)
    }
  })
})

it('there is a sample of every type of the schema', () => {
  expect([...new Set(samples.map(typeOf))].toSorted()).toEqual(Object.keys($defs))
})
