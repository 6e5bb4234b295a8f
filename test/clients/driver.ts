/** A call of a client, said so that a client in any language can make it. `call` is the name of its method, as TypeScript has it. */
export type ClientCall = Readonly<{
  call: string
  ids?: readonly string[]
  body?: Readonly<Record<string, unknown>>
  query?: Readonly<Record<string, unknown>>
  options?: Readonly<{ idempotencyKey?: string; headers?: Readonly<Record<string, string>>; connectorSecret?: string }>
}>

export type ClientSettings = Readonly<{
  url: string
  workspace?: string
  key?: string
  timeoutMs?: number
  retries?: number
  longestWaitMs?: number
}>

/** What a call gave, and the waits between its attempts, in ms: a driver does not wait them. `WrongUse`: what the language throws for a wrong argument. */
export type ClientResult = Readonly<{
  value?: unknown
  error?: Readonly<{
    name: string
    status?: number
    code?: string | null
    requestId?: string | null
    retryAfterSeconds?: number | null
    details?: Readonly<Record<string, unknown>>
    attempts: number
    idempotencyKey: string | null
  }>
  waits: readonly number[]
  /** What the hook of the client said of each wait, before it. */
  announced: readonly number[]
}>

type SignedBody = Readonly<{ secret: string; body: string; signature: string | null }>

/** A client of a language. */
export type Driver = Readonly<{
  name: string
  call: (settings: ClientSettings, call: ClientCall) => Promise<ClientResult>
  /** The event of a request to a webhook, and whether it is a built-in one; or why the client refuses the request: `WrongUse` as for a call. */
  verify: (request: SignedBody) => Promise<Readonly<{ event: unknown; builtIn: boolean }> | Readonly<{ refused: string }>>
  stop: () => Promise<void>
}>
