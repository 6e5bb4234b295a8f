import type { RouteConfig } from '../route-config.ts'
import { dashboardResponseComponents, errorComponent, errorResponses, headerTraits, responseComponents } from './error-responses.ts'
import { dashboardParameterComponents, headerComponents, headersOf, parameterComponents } from './headers.ts'
import { createSchemaComponents, type Json, type SchemaComponents } from './schema-components.ts'
import { describeDeliveries } from './webhook-deliveries.ts'

type Media = { schema?: Json; example?: unknown }
type Content = Readonly<Record<string, Media>>
type Response = Readonly<{ description?: string; content?: Content }>
type Parameter = Readonly<{ name: string; in: string; description?: string; schema?: Json }>
type Operation = Readonly<{
  operationId?: string
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
  const traits = headerTraits(config, method)
  const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
  const responses = successes.map(([status, { description, content }]) => [
    status,
    {
      description: description === 'Default Response' ? 'Done.' : description,
      headers: headersOf(Number(status), traits),
      ...(content && { content: publishContent(content, components, false) }),
    },
  ])
  const parameters = [
    ...(operation.parameters ?? []).map((one) => publishParameter(one, components)),
    ...(config.edits ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
    ...(traits.takesKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ]
  return {
    ...operation,
    ...(parameters.length > 0 && { parameters }),
    ...publishBody(requestBody, components),
    responses: { ...Object.fromEntries(responses), ...errorResponses(config, method) },
  }
}

/** The operation that says where deliveries go. */
const SUBSCRIBES = 'webhooks.create'

/** Headers that mean another thing behind the door of the dashboard. */
const sessionHeaders = {
  'X-RateLimit-Limit': { ...headerComponents['X-RateLimit-Limit'], description: 'Requests a minute of one session to the dashboard.' },
  'X-RateLimit-Remaining': { ...headerComponents['X-RateLimit-Remaining'], description: 'Requests left in the window of the session.' },
  'X-RateLimit-Reset': { ...headerComponents['X-RateLimit-Reset'], description: 'Seconds left in the window of the session.' },
}
const dashboardHeaders = Object.fromEntries(
  Object.entries({ ...headerComponents, ...sessionHeaders }).filter(([name]) => !name.endsWith('-tenant')),
)

/** The document of the routes behind the door of the dashboard: the same, without what goes to others. */
export function finishDashboardDocument(document: Document, configOf: ConfigOf): Document {
  const { webhooks: _, components, ...finished } = finishDocument(document, configOf)
  return {
    ...finished,
    paths: finished.paths,
    components: {
      ...components,
      parameters: dashboardParameterComponents,
      responses: dashboardResponseComponents,
      headers: dashboardHeaders,
    },
  }
}

/** The document as it is published: named components instead of schemas in place, errors by route, headers, webhooks. */
export function finishDocument(document: Document, configOf: ConfigOf): Document {
  const components = createSchemaComponents()
  const { webhooks, callbacks, schemas: deliveries } = describeDeliveries(components)
  const item = (path: string, methods: PathItem): readonly [string, PathItem] => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([name, operation]) => {
        const method = name.toUpperCase()
        const published = publishOperation(operation, { method, config: configOf(method, path) }, components)
        return [name, { ...published, ...(operation.operationId === SUBSCRIBES && { callbacks }) } as Operation]
      }),
    ),
  ]
  const paths = Object.fromEntries(Object.entries(document.paths).map(([path, methods]) => item(path, methods)))
  const { securitySchemes } = document.components
  const schemas = { Error: errorComponent, ...components.all(), ...deliveries }
  return {
    ...document,
    paths,
    webhooks,
    components: { securitySchemes, parameters: parameterComponents, headers: headerComponents, responses: responseComponents, schemas },
  }
}
