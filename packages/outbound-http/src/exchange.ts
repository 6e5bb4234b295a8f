import type { Dispatcher } from 'undici'

/** Of an answer that nobody reads: a little more may come and the connection stays; beyond, it is cheaper to drop it. */
const MAX_BODY_BYTES = 16 * 1024

/** A request that nobody waits for any more. */
class Ended extends Error {
  override readonly name = 'Ended'
}

/**
 * One request and its answer, of which only the status is kept. A handler of `dispatch`, so that no stream, async resource or listener is
 * made for a body that nobody reads.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Whether it is known where the request goes. */
  resolved = false
  private readonly outcome = Promise.withResolvers<number>()
  private controller: Dispatcher.DispatchController | null = null
  private bytes = 0
  private statusCode = 0
  private ended = false

  /** Of the answer, once it has ended, or more of it has come than anybody wants. */
  get status(): Promise<number> {
    return this.outcome.promise
  }

  get over(): boolean {
    return this.ended
  }

  /** Nobody waits any longer; the connection, if one is used, is closed. */
  end(reason: Error): void {
    if (this.ended) return
    this.ended = true
    this.outcome.reject(reason)
    this.controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.ended) controller.abort(new Ended('nobody waits for the answer'))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.statusCode = status
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length
    if (this.bytes <= MAX_BODY_BYTES) return
    this.onResponseEnd()
    controller.abort(new Ended('nobody reads the rest'))
  }

  onResponseEnd(): void {
    this.ended = true
    this.outcome.resolve(this.statusCode)
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.ended = true
    this.outcome.reject(error)
  }
}
