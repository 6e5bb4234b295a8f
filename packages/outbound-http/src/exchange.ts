import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

/** `body`: null where it was not asked for, or is longer than 16 KiB. */
export type Answer = Readonly<{ status: number; headers: IncomingHttpHeaders; body: Buffer | null }>

/** `keepsBody`: the answer has its body. `onSent` is called right before the request is written to its connection. */
type ExchangeOptions = Readonly<{ keepsBody?: boolean; onSent?: (() => void) | undefined }>

/** Up to this size of a body the connection is kept; beyond it, dropping the connection is cheaper. */
const MAX_BODY_BYTES = 16 * 1024

/** The request has ended: a timeout, an abort, or a body beyond the limit. */
class Ended extends Error {
  override readonly name = 'Ended'
}

/**
 * One request and its answer, whose body is kept only where it is asked for. A handler of `dispatch`, so that no stream, async resource or listener is
 * created for a body that is discarded.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Whether it is known where the request goes. */
  resolved = false
  /** Whether it was written to a connection: from then on the server may act on it. */
  sent = false
  readonly #options: ExchangeOptions
  readonly #outcome = Promise.withResolvers<Answer>()
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | null = null
  #bytes = 0
  #statusCode = 0
  #headers: IncomingHttpHeaders = {}
  #ended = false

  constructor(options: ExchangeOptions = {}) {
    this.#options = options
  }

  /** Resolves once the body has ended or is longer than the limit. */
  get answer(): Promise<Answer> {
    return this.#outcome.promise
  }

  get over(): boolean {
    return this.#ended
  }

  /** Ends the request; its connection, if there is one, is closed. */
  end(reason: Error): void {
    if (this.#ended) return
    this.#ended = true
    this.#outcome.reject(reason)
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#ended) controller.abort(new Ended('the request has ended'))
    else {
      this.sent = true
      this.#options.onSent?.()
    }
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#statusCode = status
    this.#headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes <= MAX_BODY_BYTES) {
      if (this.#options.keepsBody) this.#chunks.push(chunk)
      return
    }
    this.onResponseEnd()
    controller.abort(new Ended('the body is longer than the limit'))
  }

  onResponseEnd(): void {
    this.#ended = true
    const isKept = this.#options.keepsBody === true && this.#bytes <= MAX_BODY_BYTES
    this.#outcome.resolve({ status: this.#statusCode, headers: this.#headers, body: isKept ? Buffer.concat(this.#chunks) : null })
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.#ended = true
    this.#outcome.reject(error)
  }
}
