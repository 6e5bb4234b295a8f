import { backoffDelay, pause, unlessAborted } from '@tidings/async'
import { DeliveryError } from '../port.ts'
import type { SmppConnection } from './connection.ts'

/** `open` throws `DeliveryError`; `onOutage` gets the reason once when an outage begins, and null when it is over. */
export type LinkSettings = Readonly<{
  open: (signal: AbortSignal) => Promise<SmppConnection>
  onOutage: (why: string | null) => void
}>

const RETRY = { minMs: 500, maxMs: 15_000 }
const CLOSED = 'The SMS provider is being closed.'

/** `wasUseful`: the SMSC answered more than the bind. Where it ends each connection without that, it is not called in a loop. */
type EndedConnection = Readonly<{ sentence: string; wasBound: boolean; wasUseful: boolean }>

/**
 * Keeps one connection bound. Opening: senders wait. Bound. Away: the last try failed, senders fail at once with its sentence, the next try
 * is after a delay that grows to 15 s. Closed. A connection that is lost is opened again at once, and only if that fails it
 * is an outage.
 */
export class SmppLink {
  readonly #settings: LinkSettings
  readonly #closing = new AbortController()
  readonly #running: Promise<void>
  #connection: SmppConnection | null = null
  #why: string | null = null
  #changed = Promise.withResolvers<void>()

  constructor(settings: LinkSettings) {
    this.#settings = settings
    this.#running = this.#run()
  }

  /** Why nothing can be sent; null while bound or opening. */
  outage(): string | null {
    return this.#closing.signal.aborted ? CLOSED : this.#why
  }

  /** A bound connection, after the opening that is under way. Throws `DeliveryError` (outage). */
  async bound(signal: AbortSignal): Promise<SmppConnection> {
    for (;;) {
      const why = this.outage() ?? (signal.aborted ? 'The sending was cancelled before the call.' : null)
      if (why !== null) throw new DeliveryError('outage', why)
      if (this.#connection?.isAlive()) return this.#connection
      await unlessAborted(this.#changed.promise, signal)
    }
  }

  /** No further send begins; unbinds when `outstanding` has resolved. */
  async close(outstanding: () => Promise<unknown>): Promise<void> {
    this.#closing.abort()
    this.#notify()
    await outstanding()
    await this.#connection?.unbind()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    for (let failedOpens = 0, uselessBinds = 0; !signal.aborted; ) {
      const ended = await this.#openAndWait()
      if (signal.aborted) return
      failedOpens = ended.wasBound ? 0 : failedOpens + 1
      if (ended.wasBound) uselessBinds = ended.wasUseful ? 0 : uselessBinds + 1
      // A connection that was lost is opened again at once, and without an outage.
      if (ended.wasBound && uselessBinds <= 1) continue
      this.#setOutage(ended.sentence)
      await pause(backoffDelay(Math.max(failedOpens, uselessBinds), RETRY), signal)
    }
  }

  async #openAndWait(): Promise<EndedConnection> {
    try {
      this.#connection = await this.#settings.open(this.#closing.signal)
    } catch (error) {
      return { sentence: (error as Error).message, wasBound: false, wasUseful: false }
    }
    if (this.#closing.signal.aborted) await this.#connection.unbind()
    this.#setOutage(null)
    const connection = this.#connection
    const why = await connection.ended
    this.#connection = null
    return { sentence: `The connection to the SMSC was lost: ${why}.`, wasBound: true, wasUseful: connection.answers > 1 }
  }

  #setOutage(why: string | null): void {
    const began = this.#why
    this.#why = why
    this.#notify()
    if ((began === null) !== (why === null) && !this.#closing.signal.aborted) this.#settings.onOutage(why)
  }

  #notify(): void {
    const { resolve } = this.#changed
    this.#changed = Promise.withResolvers()
    resolve()
  }
}
