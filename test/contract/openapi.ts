import { readFileSync } from 'node:fs'

/** A schema of the document, as far as tests look into it. */
export type Schema = Readonly<{
  $ref?: string
  type?: string | readonly string[]
  required?: readonly string[]
  enum?: readonly unknown[]
  description?: string
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: unknown
  items?: Schema
  anyOf?: readonly Schema[]
  examples?: readonly unknown[]
}>

type Media = Readonly<{ schema: Schema; examples?: Readonly<Record<string, Readonly<{ value: Readonly<{ code?: string }> }>>> }>
type Response = Readonly<{
  $ref?: string
  description?: string
  headers?: Readonly<Record<string, unknown>>
  content?: Readonly<Record<string, Media>>
}>

export type Parameter = Readonly<{ name: string; in: string; required?: boolean; description?: string; schema: Schema }>

export type Operation = Readonly<{
  operationId?: string
  summary?: string
  tags?: readonly string[]
  parameters?: readonly (Parameter | Readonly<{ $ref: string }>)[]
  requestBody?: Readonly<{ content: Readonly<Record<string, Media>> }>
  responses: Readonly<Record<string, Response>>
  callbacks?: Readonly<Record<string, Readonly<Record<string, Readonly<{ post: Operation }>>>>>
  security?: readonly Readonly<Record<string, unknown>>[]
  'x-tidings-role'?: string
}>

export type OpenApi = Readonly<{
  openapi: string
  tags: readonly Readonly<{ name: string; description: string }>[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  webhooks: Readonly<Record<string, Readonly<{ post: Operation }>>>
  components: Readonly<{
    schemas: Readonly<Record<string, Schema>>
    responses: Readonly<Record<string, Response>>
    parameters: Readonly<Record<string, Parameter>>
  }>
}>

/** The committed OpenAPI document. */
export function committedOpenApi(): OpenApi {
  return JSON.parse(readFileSync(new URL('./openapi.snapshot.json', import.meta.url), 'utf8')) as OpenApi
}

/** The committed document of the routes behind the door of the dashboard. */
export function committedDashboardOpenApi(): OpenApi {
  return JSON.parse(readFileSync(new URL('./dashboard.openapi.snapshot.json', import.meta.url), 'utf8')) as OpenApi
}

/** Every operation of the document as `GET /path`, in its order. */
export function operationsOf({
  paths,
}: OpenApi): readonly Readonly<{ name: string; method: string; path: string; operation: Operation }>[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([key, operation]) => {
      const method = key.toUpperCase()
      return { name: `${method} ${path}`, method, path, operation }
    }),
  )
}

/** The parameters of an operation, those that it shares with others included. */
export function parametersOf({ components }: OpenApi, { parameters = [] }: Operation): readonly Parameter[] {
  return parameters.map((parameter) => {
    if (!('$ref' in parameter)) return parameter
    const shared = components.parameters[parameter.$ref.split('/').at(-1) ?? '']
    if (shared === undefined) throw new Error(`${parameter.$ref} leads nowhere`)
    return shared
  })
}
