import { isDeepStrictEqual } from 'node:util'
import { takesIdempotencyKey } from '../idempotency/takes-idempotency-key.ts'
import type { RouteConfig } from '../route-config.ts'
import { type HeaderTraits, headersOf } from './headers.ts'
import { type PossibleError, possibleErrors } from './possible-errors.ts'
import type { Json } from './schema-components.ts'

/** The body of every error but 413 (contract: Errors). */
export const errorComponent = {
  type: 'object',
  description: 'Every failure but 413. Some codes come with more context: texts, numbers, or lists of texts.',
  required: ['success', 'message'],
  properties: {
    success: { type: 'boolean', const: false, description: 'Always false.' },
    message: { type: 'string', description: 'One English sentence for people. Do not parse it.' },
    code: { type: 'string', description: 'Stable, in snake_case; only where a rule of the business refused.' },
  },
  additionalProperties: true,
} as const

const meanings: Readonly<Record<number, string>> = {
  400: 'The request is invalid, or something that it needs does not hold.',
  401: 'Not authenticated.',
  402: 'The wallet is empty.',
  403: 'Authenticated, but refused.',
  404: 'Something that the request names does not exist in this workspace.',
  408: 'The body did not arrive in time.',
  409: 'Somebody else has it already, or the `Idempotency-Key` is in use.',
  413: 'The body is too large. Answered as plain text.',
  428: 'The request does not say which state of the record it changes.',
  429: 'Too many requests.',
  500: 'Our fault; it is logged under the request id.',
  503: 'Temporarily unavailable; ask again.',
}

const exampleName = ({ code, message }: PossibleError): string =>
  code ??
  message
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/_$/, '')

const exampleOf = ({ code, message }: PossibleError): Json => ({
  summary: message,
  value: { success: false, message, ...(code && { code }) },
})

const jsonError = (errors: readonly PossibleError[]): Json => ({
  'application/json': {
    schema: { $ref: '#/components/schemas/Error' },
    examples: Object.fromEntries(errors.map((error) => [exampleName(error), exampleOf(error)])),
  },
})

const descriptionOf = (status: number, errors: readonly PossibleError[]): string => {
  const codes = errors.flatMap(({ code }) => (code === undefined ? [] : [`\`${code}\``]))
  return `${meanings[status] ?? 'Refused.'}${codes.length === 0 ? '' : ` Codes: ${codes.join(', ')}.`}`
}

const response = (status: number, errors: readonly PossibleError[], traits: HeaderTraits): Json => ({
  description: descriptionOf(status, errors),
  headers: headersOf(status, traits),
  content: status === 413 ? { 'text/plain': { schema: { type: 'string' } } } : jsonError(errors),
})

const sharedResponses = (config: RouteConfig): Readonly<Record<string, Json>> => {
  const ofAny = possibleErrors(config, 'POST')
  const traits = {
    ...{ throttled: true, bySession: config.door === true, takesKey: true },
    ...{ showsSecret: false, onReplicas: false, waitsForReads: false },
  }
  const common = (status: number): Json =>
    response(
      status,
      ofAny.filter((error) => error.status === status),
      traits,
    )
  return {
    Unauthorized: common(401),
    BodyTooSlow: common(408),
    BodyTooLarge: common(413),
    TooManyRequests: common(429),
    InternalError: common(500),
    Unavailable: common(503),
  }
}

/** The answers that most routes share, as components of the document; and those behind the door of the dashboard, as components of its own. */
export const responseComponents = sharedResponses({})
export const dashboardResponseComponents = sharedResponses({ access: 'session', door: true })

const orReference = (own: Json, { bySession }: HeaderTraits): Json => {
  const components = bySession ? dashboardResponseComponents : responseComponents
  const name = Object.entries(components).find(([, shared]) => isDeepStrictEqual(shared, own))?.[0]
  return name === undefined ? own : { $ref: `#/components/responses/${name}` }
}

/** What the headers of a route's answers follow from. */
export function headerTraits(config: RouteConfig, method: string): HeaderTraits {
  return {
    throttled: config.throttle !== false,
    bySession: config.door === true,
    takesKey: takesIdempotencyKey(config, method),
    showsSecret: config.showsSecret === true,
    onReplicas: config.onReplicas === 'alone' || config.onReplicas === 'together',
    waitsForReads: config.waitsForReads === true,
  }
}

/** What a route may answer with beside its success, as responses of the document. */
export function errorResponses(config: RouteConfig, method: string): Readonly<Record<string, Json>> {
  const byStatus = Map.groupBy(possibleErrors(config, method), ({ status }) => status)
  const traits = headerTraits(config, method)
  return Object.fromEntries(
    [...byStatus].map(([status, errors]) => [String(status), orReference(response(status, errors, traits), traits)]),
  )
}
