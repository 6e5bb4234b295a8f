import type { OpenApi, Operation, Parameter, Schema } from '../openapi.ts'
import { operationsOf, parametersOf } from '../openapi.ts'

/** A method of a client: one operation of the document. `group` is null where the method belongs to the client itself. */
export type ClientMethod = Readonly<{
  operationId: string
  group: string | null
  name: string
  summary: string
  method: string
  path: string
  /** The parameters of the path, in its order. */
  pathNames: readonly string[]
  query: readonly Parameter[]
  /** The names of the schemas of the body and of what an answer holds; null where there is none. */
  body: string | null
  result: string | null
  /** The name of the schema of a record, where the answer is a page of them. */
  item: string | null
  /** It sends an `Idempotency-Key`. */
  takesKey: boolean
  /** A connector's secret opens it, and no key. */
  byConnector: boolean
}>

/** What both clients are made of: the part of the document that is not for browsers with a session. */
export type ClientDocument = Readonly<{ methods: readonly ClientMethod[]; groups: ReadonlyMap<string, string>; slim: OpenApi }>

const nameOf = (schema: Schema | undefined): string | null => schema?.$ref?.split('/').at(-1) ?? null

const jsonOf = (part: Readonly<{ content?: Readonly<Record<string, Readonly<{ schema: Schema }>>> }> | undefined): Schema | undefined =>
  part?.content?.['application/json']?.schema

const successOf = ({ responses }: Operation) => Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]

const isForServers = ({ security }: Operation): boolean =>
  security === undefined || security.some((scheme) => 'key' in scheme || 'connector' in scheme)

/** The operations that a server calls: with a key, a connector's secret or nothing, but not to sign in. */
const serverOperations = (api: OpenApi) =>
  operationsOf(api).filter(({ operation }) => isForServers(operation) && !operation.tags?.includes('auth'))

const methodOf = (api: OpenApi, { method, path, operation }: ReturnType<typeof operationsOf>[number]): ClientMethod => {
  const { operationId = '', summary = '', security = [], requestBody } = operation
  const parameters = parametersOf(api, operation)
  const [group, name] = operationId.includes('.') ? operationId.split('.') : [null, operationId]
  const data = api.components.schemas[nameOf(jsonOf(successOf(operation))) ?? '']?.properties?.data
  const { items, next_cursor: cursor } = api.components.schemas[nameOf(data) ?? '']?.properties ?? {}
  return {
    operationId,
    group: group ?? null,
    name: name ?? '',
    summary,
    method,
    path,
    pathNames: [...path.matchAll(/\{(\w+)\}/g)].map(([, one = '']) => one),
    query: parameters.filter((parameter) => parameter.in === 'query'),
    body: nameOf(jsonOf(requestBody)),
    result: nameOf(data),
    item: cursor === undefined ? null : nameOf(items?.items),
    takesKey: parameters.some((parameter) => parameter.name === 'Idempotency-Key'),
    byConnector: security.some((scheme) => 'connector' in scheme),
  }
}

/** Without what types need not know: errors, headers, examples, the key that the client makes itself. */
const slimOperation = (api: OpenApi, { parameters: _parameters, callbacks: _callbacks, responses, ...operation }: Operation): Operation => {
  const own = parametersOf(api, { ...operation, parameters: _parameters ?? [], responses }).filter((parameter) => parameter.in !== 'header')
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return {
    ...operation,
    ...(own.length > 0 && { parameters: own }),
    responses: Object.fromEntries(
      successes.map(([status, { description = '', content }]) => [status, { description, ...(content && { content }) }]),
    ),
  }
}

const withoutExamples = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'examples' || key === 'example' ? undefined : inner))) as T

const namesIn = (value: unknown): readonly string[] =>
  [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name)

/** The schemas that these lead to, in the document's order. */
const reachedFrom = (value: unknown, all: OpenApi['components']['schemas']): OpenApi['components']['schemas'] => {
  const reached = new Set<string>()
  const follow = (names: readonly string[]): void => {
    for (const name of names) {
      if (reached.has(name)) continue
      reached.add(name)
      follow(namesIn(all[name]))
    }
  }
  follow(namesIn(value))
  return Object.fromEntries(Object.entries(all).filter(([name]) => reached.has(name)))
}

/** Reads out of the document what clients are written from. */
export function clientDocument(api: OpenApi): ClientDocument {
  const operations = serverOperations(api)
  const paths: Record<string, Record<string, Operation>> = {}
  for (const { path, method, operation } of operations) {
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = slimOperation(api, operation)
  }
  const webhooks = Object.fromEntries(Object.entries(api.webhooks).map(([event, { post }]) => [event, { post: slimOperation(api, post) }]))
  const schemas = reachedFrom([paths, webhooks], api.components.schemas)
  const methods = operations.map((operation) => methodOf(api, operation))
  const sentences = new Map(api.tags.map(({ name, description }) => [name, description]))
  const groups = new Map(
    operations.flatMap(({ operation: { operationId = '', tags = [] } }) => {
      const [group = '', name] = operationId.split('.')
      return name === undefined ? [] : [[group, sentences.get(tags[0] ?? '') ?? ''] as const]
    }),
  )
  const slim = withoutExamples({ ...api, paths, webhooks, components: { schemas, responses: {}, parameters: {} } })
  return { methods, groups, slim }
}
