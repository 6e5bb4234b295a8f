import { webhookEvents } from '@tidings/contracts'
import type { RouteConfig } from '../route-config.ts'
import { errorComponent, errorResponses, responseComponents } from './error-responses.ts'
import { headerComponents, headersOf } from './headers.ts'
import { createSchemaComponents, type Json, type SchemaComponents } from './schema-components.ts'

type Media = { schema?: Json; example?: unknown }
type Content = Readonly<Record<string, Media>>
type Response = Readonly<{ description?: string; content?: Content }>
type Parameter = Readonly<{ name: string; in: string; description?: string; schema?: Json }>
type Operation = Readonly<{
  parameters?: readonly Parameter[]
  requestBody?: Readonly<{ description?: string; required?: boolean; content: Content }>
  responses: Readonly<Record<string, Response>>
}>
type PathItem = Readonly<Record<string, Operation>>
export type Document = Json & Readonly<{ paths: Readonly<Record<string, PathItem>>; components: Json }>

/** The `config` of the route of an operation. */
export type ConfigOf = (method: string, path: string) => RouteConfig

/** `@fastify/swagger` moves the example of a schema beside it; as part of a component it is found wherever that is used. */
const publishContent = (content: Content, { publish }: SchemaComponents, strict: boolean): Content =>
  Object.fromEntries(
    Object.entries(content).map(([type, { schema = {}, example, ...media }]) => [
      type,
      { ...media, schema: publish(example === undefined ? schema : { ...schema, examples: [example] }, strict) },
    ]),
  )

/** `@fastify/swagger` moves the description of a schema beside it, too. */
const publishParameter = ({ schema = {}, description, ...parameter }: Parameter, { publish }: SchemaComponents): Json => {
  const { style, explode, sentence, ...rest } = schema
  return {
    ...parameter,
    ...(sentence !== undefined && { description: sentence }),
    ...(style !== undefined && { style, explode }),
    schema: publish(description === undefined ? rest : { ...rest, description }),
  }
}

const isEmpty = ({ schema }: Media): boolean => Object.keys((schema?.properties as object | undefined) ?? {}).length === 0

const publishBody = (body: Operation['requestBody'], components: SchemaComponents): Json => {
  // A route that declares no body takes none: the whitelist gives it an empty one to refuse properties by.
  if (body === undefined || Object.values(body.content).every(isEmpty)) return {}
  return { requestBody: { ...body, content: publishContent(body.content, components, true) } }
}

type Route = Readonly<{ method: string; config: RouteConfig }>

const publishOperation = ({ requestBody, ...operation }: Operation, { method, config }: Route, components: SchemaComponents): Json => {
  const throttled = config.throttle !== false
  const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
  const responses = successes.map(([status, { description, content }]) => [
    status,
    {
      description: description === 'Default Response' ? 'Done.' : description,
      headers: headersOf(Number(status), throttled),
      ...(content && { content: publishContent(content, components, false) }),
    },
  ])
  return {
    ...operation,
    ...(operation.parameters && { parameters: operation.parameters.map((one) => publishParameter(one, components)) }),
    ...publishBody(requestBody, components),
    responses: { ...Object.fromEntries(responses), ...errorResponses(config, method) },
  }
}

/** The document as it is published: named components instead of schemas in place, errors by route, headers, webhooks. */
export function finishDocument(document: Document, configOf: ConfigOf): Document {
  const components = createSchemaComponents()
  const item = (path: string, methods: PathItem): readonly [string, PathItem] => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([name, operation]) => {
        const method = name.toUpperCase()
        return [name, publishOperation(operation, { method, config: configOf(method, path) }, components) as Operation]
      }),
    ),
  ]
  const paths = Object.fromEntries(Object.entries(document.paths).map(([path, methods]) => item(path, methods)))
  const webhooks = webhooksSection(components)
  const { securitySchemes } = document.components
  const schemas = { Error: errorComponent, ...components.all() }
  return {
    ...document,
    paths,
    webhooks,
    components: { securitySchemes, headers: headerComponents, responses: responseComponents, schemas },
  }
}

const header = (name: string, description: string) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } })

const parameters = [
  header('X-Sender-Event', "The body's `event`; percent-encoded where a header cannot carry it."),
  header('X-Sender-Delivery', "The body's `deliveryId`, the same at every attempt."),
  header(
    'X-Sender-Signature',
    '`sha256=` and the lowercase hex of HMAC-SHA256 over the raw bytes of the body, keyed by the signing secret.',
  ),
]

/** Copies the schema without the symbols of TypeBox. */
const plain = (schema: object): Json => structuredClone(schema) as Json

const operationId = (event: string): string => `deliver.${event}`

/** The section `webhooks` of the document: what an endpoint receives for each event. */
function webhooksSection({ publish }: SchemaComponents): Json {
  return Object.fromEntries(
    webhookEvents.map(({ name, when, delivery: { examples, ...schema } }) => [
      name,
      {
        post: {
          operationId: operationId(name),
          summary: when,
          tags: ['webhooks'],
          parameters,
          requestBody: { required: true, content: { 'application/json': { schema: publish(plain(schema)), example: examples?.[0] } } },
          responses: { '2XX': { description: 'Taken. Any other answer, and one after 10 seconds, is a failure.' } },
        },
      },
    ]),
  )
}
