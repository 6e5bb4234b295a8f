import { readFileSync } from 'node:fs'

/** A schema of the document, as far as tests look into it. */
export type Schema = Readonly<{
  $ref?: string
  type?: string | readonly string[]
  enum?: readonly unknown[]
  description?: string
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: unknown
  items?: Schema
  anyOf?: readonly Schema[]
  examples?: readonly unknown[]
}>

type Media = Readonly<{ schema: Schema; examples?: Readonly<Record<string, Readonly<{ value: Readonly<{ code?: string }> }>>> }>
type Response = Readonly<{ $ref?: string; description?: string; headers?: object; content?: Readonly<Record<string, Media>> }>

export type Operation = Readonly<{
  operationId?: string
  summary?: string
  tags?: readonly string[]
  parameters?: readonly Readonly<{ name: string; in: string; description?: string; schema: Schema }>[]
  requestBody?: Readonly<{ content: Readonly<Record<string, Media>> }>
  responses: Readonly<Record<string, Response>>
}>

export type OpenApi = Readonly<{
  openapi: string
  tags: readonly Readonly<{ name: string; description: string }>[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  webhooks: Readonly<Record<string, Readonly<{ post: Operation }>>>
  components: Readonly<{ schemas: Readonly<Record<string, Schema>>; responses: Readonly<Record<string, Response>> }>
}>

/** The committed OpenAPI document. */
export function committedOpenApi(): OpenApi {
  return JSON.parse(readFileSync(new URL('./openapi.snapshot.json', import.meta.url), 'utf8')) as OpenApi
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
