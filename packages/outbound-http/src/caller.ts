import { onAbort } from '@tidings/async'
import { type Answer, Exchange } from './exchange.ts'
import { Blocked, type Guard } from './guard.ts'
import { Unresolved } from './name-lookups.ts'
import { createPools, type PoolsOptions } from './pools.ts'

/**
 * `scope`: whose look-ups of names it shares. `lane`: calls of one lane share connections, and wait for each other's; of others never.
 * `headers` beside those that the client sets. Without a `body` it is a GET. `signal` ends the call, `withdrawn` only one that was not sent.
 */
type Call = Readonly<{
  scope: string
  lane: string
  url: string
  headers: Readonly<Record<string, string>>
  body?: Buffer
  signal?: AbortSignal
  withdrawn?: AbortSignal | undefined
}>

type Post = Call & Readonly<{ body: Buffer }>

/** What the server answered; its body was thrown away. */
type Answered = Readonly<{ status: number }>

/** The call brought no answer. The message names no secret: a code of the network or of TLS, or that the time was over. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed'
  /** The request was written to a connection: the server may have acted on it. */
  readonly sent: boolean

  constructor(message: string, { sent = false, cause }: Readonly<{ sent?: boolean; cause?: unknown }> = {}) {
    super(message, { cause })
    this.sent = sent
  }
}

type BeforeSend = () => Promise<void> | undefined

/** The caller of the call withdrew it before it was sent. */
class Withdrawn extends Error {
  override readonly name = 'Withdrawn'
}

export type Caller = Readonly<{
  /** Checks the URL and posts to the address that passed. Throws `CallFailed`, and what the guard throws. */
  post: (post: Post) => Promise<Answered>
  /**
   * Asks likewise, for the headers and the body of the answer too. `onSent` is called right before the request is written to a connection; `beforeSend`
   * once it is known where that leads: what it rejects with is thrown, and nothing is sent.
   */
  ask: (call: Call, onSent?: () => void, beforeSend?: BeforeSend) => Promise<Answer>
  close: () => Promise<void>
}>

/** `timeoutMs`: from the look-up to the end of the answer. */
export type CallerOptions = PoolsOptions & Readonly<{ guard: Guard }>

/** Calls where the guard lets it, and never a place that a redirect names. */
export function createCaller({ guard, ...options }: CallerOptions): Caller {
  const pools = createPools(options)

  const begin = async (exchange: Exchange, { scope, lane, url, headers, body }: Call, beforeSend?: BeforeSend): Promise<void> => {
    const checked = await guard.check(url, scope)
    exchange.resolved = true
    const pool = await pools.of(lane, checked)
    if (!exchange.over) await ready(beforeSend)
    const path = checked.target.href.slice(checked.target.origin.length).replace(/#.*$/s, '')
    if (!exchange.over) pool.dispatch({ method: body === undefined ? 'GET' : 'POST', path, headers, body: body ?? null }, exchange)
  }

  const run = async (exchange: Exchange, call: Call, beforeSend?: BeforeSend): Promise<Answer> => {
    const end = () =>
      exchange.end(exchange.resolved ? new CallFailed('no answer in time') : new Unresolved('the name was not looked up in time'))
    const timer = setTimeout(end, options.timeoutMs)
    const forget = call.signal && onAbort(call.signal, end)
    const keep = call.withdrawn && onAbort(call.withdrawn, () => !exchange.sent && end())
    begin(exchange, call, beforeSend).catch((error: Error) => exchange.end(error))
    try {
      return await exchange.answer
    } catch (error) {
      throw failure(error, exchange.sent)
    } finally {
      clearTimeout(timer)
      forget?.()
      keep?.()
    }
  }

  return {
    post: async (post) => ({ status: (await run(new Exchange(), post)).status }),
    ask: (call, onSent, beforeSend) => run(new Exchange({ keepsBody: true, onSent }), call, beforeSend),
    close: pools.close,
  }
}

const ready = async (beforeSend: BeforeSend | undefined): Promise<void> => {
  try {
    await beforeSend?.()
  } catch (error) {
    throw new Withdrawn('the call was withdrawn', { cause: error })
  }
}

const failure = (error: unknown, sent: boolean): unknown => {
  if (error instanceof Withdrawn) return error.cause
  if (error instanceof Blocked || error instanceof Unresolved) return error
  if (error instanceof CallFailed) return new CallFailed(error.message, { sent, cause: error })
  const { code, cause } = error as Readonly<{ code?: string; cause?: Readonly<{ code?: string }> }>
  return new CallFailed(code ?? cause?.code ?? 'the connection failed', { sent, cause: error })
}
