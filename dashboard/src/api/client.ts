import { inside, outside } from '../prefix.ts'

// The only place that calls the API: what it answers, or why not. Nothing here knows React.

type Refusal = Readonly<
  { status: number; message: string; retryAfterMs?: number | null } & Partial<Record<'code' | 'requestId' | 'by' | 'at', string | null>>
>

/** What the API refused, with the sentence it said; status 0 where there was no answer. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string | null
  readonly requestId: string | null
  /** The last change of a record that was changed meanwhile: its author and its time (M74). */
  readonly by: string | null
  readonly at: string | null
  /** How long the service wants not to be asked again; null where it says nothing of that. */
  readonly retryAfterMs: number | null
  constructor(said: Refusal) {
    super(said.message)
    this.name = 'ApiProblem'
    this.status = said.status
    this.code = said.code ?? null
    this.requestId = said.requestId ?? null
    this.by = said.by ?? null
    this.at = said.at ?? null
    this.retryAfterMs = said.retryAfterMs ?? null
  }
}

type Call = Readonly<{
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  body?: unknown
  signal?: AbortSignal | undefined
  /** The same for each try of one submit, so that a double click does nothing twice. */
  idempotencyKey?: string
  ifMatch?: string
  /** The slug of the workspace that an operator acts on, from a page that is of none. */
  workspace?: string | undefined
}>

/** `isShown`: false where reads do not show yet what was written. */
export type Written<Data> = Readonly<{ data: Data; isShown: boolean }>

type KnownAnswer = Readonly<{ etag: string; text: string }>

/** Answers that a poll may ask about again; as many as open screens ask for, the oldest is dropped first. */
const KNOWN_ANSWERS = 50

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The data of the envelope; the text is that of a success. */
function dataOf<Data>(text: string): Data {
  const { data }: { data: Data } = JSON.parse(text === '' ? '{"data":null}' : text)
  return data
}

/** What a gateway answers for a service that is away. */
const AWAY: readonly number[] = [502, 503, 504]
const NOT_REACHED = 'The service could not be reached.'

function problemOf(response: Response, text: string): ApiProblem {
  const body = parsed(text)
  const { message, code, by, at } = isRecord(body) ? body : {}
  const unsaid = AWAY.includes(response.status) ? NOT_REACHED : `The service answered ${response.status}.`
  return new ApiProblem({
    status: response.status,
    message: typeof message === 'string' ? message : unsaid,
    code: typeof code === 'string' ? code : null,
    requestId: response.headers.get('x-request-id'),
    by: typeof by === 'string' ? by : null,
    at: typeof at === 'string' ? at : null,
    retryAfterMs: waitOf(response.headers.get('retry-after')),
  })
}

/** Seconds, or a date (RFC 9110 §10.2.3). */
function waitOf(retryAfter: string | null): number | null {
  if (retryAfter === null) return null
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(ms, 0)
}

const unreachable = (): ApiProblem => new ApiProblem({ status: 0, message: NOT_REACHED })

/** 16 random bytes as a UUID: `crypto.randomUUID` is missing on plain http of another host. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}

/** `asked`: that of the browser, or of a test. `shown`: the slug of the workspace that the page shows, without which the session alone says on which it acts. */
export function createClient(asked: typeof fetch, shown: () => string | null = () => null) {
  const known = new Map<string, KnownAnswer>()

  const remember = (path: string, etag: string | null, text: string): void => {
    known.delete(path)
    if (etag !== null) known.set(path, { etag, text })
    for (const oldest of known.keys()) {
      if (known.size <= KNOWN_ANSWERS) break
      known.delete(oldest)
    }
  }

  const ask = async (path: string, { method = 'GET', body, signal, idempotencyKey, ifMatch, workspace }: Call): Promise<Response> => {
    const headers = new Headers({ Accept: 'application/json' })
    const slug = shown()
    if (slug !== null) headers.set('X-Tidings-Page', slug)
    if (body !== undefined) headers.set('Content-Type', 'application/json')
    if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey)
    if (ifMatch !== undefined) headers.set('If-Match', `"${ifMatch}"`)
    if (workspace !== undefined) headers.set('X-Tidings-Workspace', workspace)
    const etag = method === 'GET' ? known.get(path)?.etag : undefined
    if (etag !== undefined) headers.set('If-None-Match', etag)
    const init: RequestInit = { method, headers, credentials: 'same-origin', cache: 'no-store' }
    if (body !== undefined) init.body = JSON.stringify(body)
    if (signal !== undefined) init.signal = signal
    try {
      return await asked(outside(`/api/v1${path}`), init)
    } catch (error) {
      if (signal?.aborted) throw error
      throw unreachable()
    }
  }

  /** The connection may break while the answer comes. */
  const textOf = async (response: Response, signal?: AbortSignal): Promise<string> => {
    const text = await response.text().catch((error: unknown) => {
      throw signal?.aborted ? error : unreachable()
    })
    if (!response.ok) throw problemOf(response, text)
    return text
  }

  return {
    /** What it knows already, it asks about by its ETag. */
    async read<Data>(path: string, signal?: AbortSignal): Promise<Data> {
      const response = await ask(path, { signal })
      const last = known.get(path)
      if (response.status === 304 && last !== undefined) return dataOf<Data>(last.text)
      const text = await textOf(response, signal)
      remember(path, response.headers.get('etag'), text)
      return dataOf<Data>(text)
    },
    /** Whether there is something to load, for what a frame shows: 404 is an answer. */
    async isThere(path: string, signal?: AbortSignal): Promise<boolean> {
      const response = await ask(path, { signal })
      if (response.status === 404) return false
      if (!response.ok) throw problemOf(response, await response.text())
      await response.body?.cancel()
      return true
    },
    /** Asks by its body what writes nothing: it has no key, and no answer is kept for it. */
    async compute<Data>(path: string, body: unknown, signal?: AbortSignal): Promise<Data> {
      return dataOf<Data>(await textOf(await ask(path, { method: 'POST', body, signal })))
    },
    async write<Data>(path: string, call: Call): Promise<Written<Data>> {
      const response = await ask(path, { method: 'POST', idempotencyKey: newKey(), ...call })
      return { data: dataOf<Data>(await textOf(response)), isShown: response.headers.get('x-consistency') !== 'pending' }
    },
    /** At the end of a session: the next one may be of another workspace. */
    forget(): void {
      known.clear()
    },
  }
}

export type Client = ReturnType<typeof createClient>
/** As paths.ts builds it. */
const slugOf = (path: string): string | null => /^\/dashboard\/w\/([\w-]+)/.exec(path)?.[1] ?? null
export const client: Client = createClient(
  (...args) => fetch(...args),
  () => slugOf(inside(location.pathname)),
)
