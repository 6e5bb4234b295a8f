import type { Dispatcher } from 'undici'

/** The body is discarded. Up to this size the connection is kept; beyond, it is cheaper to drop it. */
const MAX_BODY_BYTES = 16 * 1024

/** The request has ended: a timeout, an abort, or a body beyond the limit. */
class Ended extends Error {
  override readonly name = 'Ended'
}

/**
 * One request and its answer, of which only the status is kept. A handler of `dispatch`, so that no stream, async resource or listener is
 * created for a body that is discarded.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Whether it is known where the request goes. */
  resolved = false
  readonly #outcome = Promise.withResolvers<number>()
  #controller: Dispatcher.DispatchController | null = null
  #bytes = 0
  #statusCode = 0
  #ended = false

  /** Of the answer, once its body has ended or is longer than the limit. */
  get status(): Promise<number> {
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
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.#statusCode = status
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes <= MAX_BODY_BYTES) return
    this.onResponseEnd()
    controller.abort(new Ended('the body is longer than the limit'))
  }

  onResponseEnd(): void {
    this.#ended = true
    this.#outcome.resolve(this.#statusCode)
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.#ended = true
    this.#outcome.reject(error)
  }
}
