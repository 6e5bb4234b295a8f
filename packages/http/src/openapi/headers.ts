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
  'Idempotent-Replayed': {
    description: 'There where the answer is the stored one of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'X-Consistency': {
    description:
      'There where the write is stored, and a read may not show it yet. With a read: where it may not show every write that was answered.',
    schema: { type: 'string', enum: ['pending'] },
  },
} as const

/** The headers that requests may carry beside their credentials, as components of the document. */
export const parameterComponents = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A text of your own that stays the same when the request is repeated: for 24 hours the same body gets the stored answer, another body 409. 429 and 5xx are not stored.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    example: 'order-A-17-receipt',
  },
} as const

/** Those behind the door of the dashboard. */
export const dashboardParameterComponents = {
  ...parameterComponents,
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: true,
    description:
      'The `etag` of the record as it was read, in double quotes. Where the record is another by now: 409, with `by` and `at` of the last change.',
    schema: { type: 'string', pattern: '^"[0-9a-f]{64}"$' },
  },
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

/** What headers follow from: `throttled`, the route counts its requests; `bySession`, in the bucket of their session alone; `takesKey`, it takes an `Idempotency-Key`; `showsSecret`, a success is never stored; `onReplicas`, its answer may come from a replica; `waitsForReads`, what it found is shown by the read side or not. */
export type HeaderTraits = Readonly<{
  throttled: boolean
  bySession: boolean
  takesKey: boolean
  showsSecret: boolean
  onReplicas: boolean
  waitsForReads: boolean
}>

/** Those statuses that a route itself answers with; the conventions alone answer the others, before a key is looked at, and 429 and 5xx are not stored (M1). */
const MAY_BE_STORED = new Set([400, 402, 403, 404, 409])

const isSuccess = (status: number): boolean => status >= 200 && status < 300

const ofKey = (status: number, { takesKey, showsSecret }: HeaderTraits): readonly Name[] => {
  if (!takesKey) return []
  const replayed = isSuccess(status) ? !showsSecret : MAY_BE_STORED.has(status)
  return [
    ...(replayed ? (['Idempotent-Replayed'] as const) : []),
    ...(isSuccess(status) ? (['X-Consistency'] as const) : []),
    ...(status === 409 ? (['Retry-After'] as const) : []),
  ]
}

/** What is not found on a replica may be there. */
const ofRead = (status: number, { onReplicas, waitsForReads }: HeaderTraits): readonly Name[] =>
  (isSuccess(status) && (onReplicas || waitsForReads)) || (status === 404 && onReplicas) ? ['X-Consistency'] : []

/** References to the headers of an answer. */
export function headersOf(status: number, traits: HeaderTraits): Readonly<Record<string, { $ref: string }>> {
  const buckets = traits.throttled && status !== 413 && status !== 429 ? BUCKETS : []
  const all: readonly Name[] = [
    'X-Request-Id',
    ...buckets,
    ...(byStatus[status] ?? []),
    ...ofKey(status, traits),
    ...ofRead(status, traits),
  ]
  const names = traits.bySession ? all.filter((name) => !name.endsWith('-tenant')) : all
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
