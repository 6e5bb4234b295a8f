import { type TSchema, Type } from '@sinclair/typebox'
import type { RouteOptions } from 'fastify'
import fp from 'fastify-plugin'

/** The success envelope around a response schema. */
const envelopeOf = <Data extends TSchema>(data: Data) => {
  const success = Type.Literal(true, { sentence: 'Always true.' })
  return Type.Object({ success, data }, data.title === undefined ? {} : named(data.title, data.examples))
}

/** Only the OpenAPI document uses it. */
const named = (title: string, examples: unknown): object => ({
  title: `${title}Envelope`,
  description: `${title}, in the envelope of every success.`,
  ...(Array.isArray(examples) && { examples: examples.map((data) => ({ success: true, data })) }),
})

const isSuccess = (status: string): boolean => status.startsWith('2') && status !== '204'

const wrapResponses = (route: RouteOptions): void => {
  const responses = route.schema?.response
  if (responses === undefined || responses === null || typeof responses !== 'object') return
  const wrapped = Object.entries(responses).map(([status, schema]) => [status, isSuccess(status) ? envelopeOf(schema) : schema])
  route.schema = { ...route.schema, response: Object.fromEntries(wrapped) }
}

/** Handlers return their data; the envelope is put around it, and around the response schema they declared. `raw` routes stay bare. */
export const envelope = fp(
  async (app) => {
    app.addHook('onRoute', (route) => {
      if (route.config?.raw) return
      wrapResponses(route)
      const own = [route.preSerialization ?? []].flat()
      route.preSerialization = [...own, (_request, _reply, data, done) => done(null, { success: true, data })]
    })
  },
  { name: 'envelope' },
)
