const integer = { type: 'integer' } as const

const seconds = (description: string) => ({ description, schema: integer })

/** The headers of answers, as components of the document. */
export const headerComponents = {
  'X-Request-Id': {
    description: "The request's id: the one that was sent, or a new one.",
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
  },
  'X-RateLimit-Limit': { description: 'Requests a minute from one address to this route.', schema: integer },
  'X-RateLimit-Remaining': { description: 'Requests left in the window of the address.', schema: integer },
  'X-RateLimit-Reset': seconds('Seconds left in the window of the address.'),
  'X-RateLimit-Limit-tenant': { description: 'Requests a minute with one key.', schema: integer },
  'X-RateLimit-Remaining-tenant': { description: 'Requests left in the window of the key.', schema: integer },
  'X-RateLimit-Reset-tenant': seconds('Seconds left in the window of the key.'),
  'Retry-After': seconds('Seconds after which asking again makes sense.'),
  'Retry-After-tenant': seconds('In place of `Retry-After` where the bucket of the key is full.'),
} as const

type Name = keyof typeof headerComponents

const byStatus: Readonly<Record<number, readonly Name[]>> = {
  413: [],
  429: ['Retry-After', 'Retry-After-tenant'],
  503: ['Retry-After'],
}

const BUCKETS: readonly Name[] = [
  ...(['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const),
  ...(['X-RateLimit-Limit-tenant', 'X-RateLimit-Remaining-tenant', 'X-RateLimit-Reset-tenant'] as const),
]

/** References to the headers of an answer. `throttled`: the route counts its requests. */
export function headersOf(status: number, throttled: boolean): Readonly<Record<string, { $ref: string }>> {
  const buckets = throttled && status !== 413 && status !== 429 ? BUCKETS : []
  const names: readonly Name[] = ['X-Request-Id', ...buckets, ...(byStatus[status] ?? [])]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
