import type { FastifySchemaCompiler } from 'fastify'
import fp from 'fastify-plugin'
import { findInvalidText } from '../body/invalid-text.ts'
import { invalidRequest, type RequestRefused } from '../errors/problems.ts'
import { shapeFault } from './body-fault.ts'
import { compileRule } from './compile-rule.ts'
import { sentence } from './messages.ts'
import { isRecord, propertiesRule } from './object-rule.ts'
import type { Fault, Schema } from './rule.ts'

const DECIMAL = /^-?\d{1,16}$/

/** Turns the texts of a query into what its schema says: decimal integers, `true`/`false`/`1`/`0`, lists with commas. What does not fit stays text and fails its rule. */
function queryConverter(schema: Schema): (query: unknown) => void {
  const typed = Object.entries(schema.properties ?? {}).flatMap(([key, { type }]) => {
    const convert = typeof type === 'string' ? converters[type] : undefined
    return convert === undefined ? [] : [{ key, convert }]
  })
  return (query) => {
    if (!isRecord(query)) return
    for (const { key, convert } of typed) {
      const text = query[key]
      if (typeof text === 'string') query[key] = convert(text)
    }
  }
}

const toInteger = (text: string): unknown => (DECIMAL.test(text) ? Number(text) : text)

const toBoolean = (text: string): unknown => {
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : text
}

const converters: Readonly<Record<string, (text: string) => unknown>> = {
  integer: toInteger,
  boolean: toBoolean,
  array: (text) => text.split(','),
}

type Verdict = { value: unknown } | { error: RequestRefused }
type Validate = (value: unknown) => Verdict

const verdict = (value: unknown, fault: Fault | undefined): Verdict =>
  fault === undefined ? { value } : { error: invalidRequest(fault.message) }

const validateParams = (schema: Schema): Validate => {
  const judge = propertiesRule(schema, compileRule)
  return (params) => {
    if (isRecord(params) && judge(params) === undefined) return { value: params }
    return { error: invalidRequest('Validation failed (uuid is expected)') }
  }
}

const validateQuery = (schema: Schema): Validate => {
  const convert = queryConverter(schema)
  const judge = propertiesRule(schema, compileRule)
  return (query) => {
    convert(query)
    return verdict(query, isRecord(query) ? judge(query) : undefined)
  }
}

const validateBody = (schema: Schema): Validate => {
  const judge = shapeFault(schema)
  return (body) => {
    if (!isRecord(body)) return { error: invalidRequest('Validation failed (object is expected)') }
    const fault = judge(body)
    return fault === undefined ? { value: body } : { error: invalidRequest(fault) }
  }
}

const byPart: Readonly<Record<string, (schema: Schema) => Validate>> = {
  params: validateParams,
  querystring: validateQuery,
  body: validateBody,
}

/** Compiles the schema of one part of a route, once: Fastify's validator compiler, in place of Ajv. */
export const compileValidator: FastifySchemaCompiler<Schema> = ({ schema, httpPart }) => {
  const compile = byPart[httpPart ?? '']
  if (compile === undefined) throw new Error(`No validator for the request part ${String(httpPart)}.`)
  return compile(schema)
}

const characters = () => invalidRequest('Request contains invalid characters')

/**
 * Before the schemas, and after admission and what the route itself checks first: an empty body becomes `{}` (G37), and NUL, lone surrogates
 * and `__proto__` are refused in any position (M23). The query of a raw route that declares none is the route's own to check: a pixel
 * answers 200 to any query (N10).
 */
export const validation = fp(
  async (app) => {
    app.setValidatorCompiler(compileValidator)
    app.addHook('onRoute', (route) => {
      const own = [route.preValidation ?? []].flat()
      const checksQuery = route.config?.raw !== true || route.schema?.querystring !== undefined
      route.preValidation = [
        ...own,
        (request, _reply, done) => {
          if (checksQuery && request.raw.url?.includes('%') && findInvalidText(request.query) === 'characters') return done(characters())
          if (request.bodyState === null) return done()
          request.body ??= {}
          const found = request.bodyState.suspect ? findInvalidText(request.body) : undefined
          if (found === undefined) return done()
          done(found === 'characters' ? characters() : invalidRequest(sentence.unknown('__proto__')))
        },
      ]
    })
  },
  { name: 'validation', dependencies: ['bodies', 'admission'] },
)
