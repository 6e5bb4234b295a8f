import type { Socket } from 'node:net'
import { decodePdu, encodePdu, type IncomingPdu, MAX_PDU, PDU_HEADER, type PduFields, statusCode } from './pdu.ts'

/** A request was written and has no answer: it may have been carried out. */
export class UnansweredError extends Error {}

/**
 * `deliver` answers a deliver_sm or data_sm with a command_status; it must not reject. At most `maxDeliveries` are under way at once: one
 * more is answered "later", so that a flood costs no memory and an SMSC with something to say can still answer our submits.
 */
export type ConnectionSettings = Readonly<{
  callMs: number
  enquireMs: number
  maxDeliveries: number
  deliver: (pdu: IncomingPdu) => Promise<number>
}>

type PendingRequest = Readonly<{
  command: string
  resolve: (answer: IncomingPdu) => void
  reject: (error: Error) => void
  timer: NodeJS.Timeout
}>

/** A peer that asks and does not read its answers: more than this unsent ends the connection. */
const MAX_UNSENT = 262_144
const LAST_SEQUENCE = 0x7fffffff

/**
 * One SMPP connection, from its socket's opening to its end. Open: requests are written at once and wait for the answer with their
 * sequence number, at most `callMs`. Ended, by either side, by an unanswered enquire_link or by bytes that are no SMPP: what waited fails
 * with `UnansweredError`, and nothing is written any more.
 */
export class SmppConnection {
  /** Why the connection ended, once it has. */
  readonly ended: Promise<string>
  readonly #socket: Socket
  readonly #settings: ConnectionSettings
  readonly #frames = new FrameReader()
  readonly #pending = new Map<number, PendingRequest>()
  readonly #enquiring: NodeJS.Timeout
  #resolveEnded: (why: string) => void = () => undefined
  #answers = 0
  #takes = false
  #saidUnbound = 0
  #alive = true
  #sequence = 0
  #deliveries = 0
  #heardAt = performance.now()

  constructor(socket: Socket, settings: ConnectionSettings) {
    this.#socket = socket
    this.#settings = settings
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve
    })
    this.#enquiring = setInterval(() => void this.#enquire(), settings.enquireMs / 2).unref()
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('error', (error) => this.end(error.message))
    socket.on('close', () => this.end('the SMSC closed the connection'))
  }

  isAlive(): boolean {
    return this.#alive
  }

  /** How many requests were answered, the bind included. */
  get answers(): number {
    return this.#answers
  }

  /** A message was taken: the session is bound. */
  noteTaken(): void {
    this.#takes = true
    this.#saidUnbound = 0
  }

  /** The SMSC said of a message that the session is not bound. True where it has taken none, or says it again. */
  isSaidUnbound(): boolean {
    this.#saidUnbound++
    return !this.#takes || this.#saidUnbound > 1
  }

  /** Writes the request before it returns. Rejects with `UnansweredError`; only where the connection had ended, nothing was written. */
  request(command: string, fields: PduFields = {}): Promise<IncomingPdu> {
    if (!this.#alive) return Promise.reject(new Error('the connection to the SMSC has ended'))
    const sequence = this.#nextSequence()
    const bytes = encodePdu(command, sequence, fields)
    return new Promise((resolve, reject) => {
      const late = () => this.#settle(sequence)?.reject(new UnansweredError(`no answer from the SMSC within ${this.#settings.callMs} ms`))
      this.#pending.set(sequence, { command, resolve, reject, timer: setTimeout(late, this.#settings.callMs) })
      this.#write(bytes)
    })
  }

  /** Ends the session by unbind. Resolves when the connection has ended. */
  async unbind(): Promise<void> {
    await this.request('unbind').catch(() => undefined)
    this.end('the session was closed')
  }

  end(why: string): void {
    if (!this.#alive) return
    this.#alive = false
    clearInterval(this.#enquiring)
    this.#socket.destroy()
    for (const sequence of [...this.#pending.keys()]) this.#settle(sequence)?.reject(new UnansweredError(why))
    this.#resolveEnded(why)
  }

  #nextSequence(): number {
    do this.#sequence = this.#sequence === LAST_SEQUENCE ? 1 : this.#sequence + 1
    while (this.#pending.has(this.#sequence))
    return this.#sequence
  }

  #settle(sequence: number): PendingRequest | undefined {
    const pending = this.#pending.get(sequence)
    if (pending === undefined) return undefined
    this.#pending.delete(sequence)
    clearTimeout(pending.timer)
    return pending
  }

  #read(chunk: Buffer): void {
    this.#heardAt = performance.now()
    try {
      for (const frame of this.#frames.read(chunk)) {
        if (!this.#alive) return
        this.#take(frame)
      }
    } catch (error) {
      this.end(`the SMSC does not speak SMPP: ${(error as Error).message}`)
    }
  }

  #take(frame: Buffer): void {
    let pdu: IncomingPdu
    try {
      pdu = decodePdu(frame)
    } catch {
      // Its end is known, so the next one can be read. Without an answer the SMSC would repeat it for ever.
      this.#answer('generic_nack', frame.readUInt32BE(12), statusCode('ESME_RINVCMDLEN'))
      return
    }
    if (pdu.isResponse) this.#takeAnswer(pdu)
    else this.#serve(pdu)
  }

  #takeAnswer(pdu: IncomingPdu): void {
    const pending = this.#settle(pdu.sequence)
    if (pending === undefined) return
    // One of another kind says nothing, and must not pass for an acceptance: whether the request was carried out is not known.
    const isAnswer = pdu.command === `${pending.command}_resp` || (pdu.command === 'generic_nack' && pdu.status !== 0)
    if (isAnswer) {
      this.#answers++
      pending.resolve(pdu)
    } else pending.reject(new UnansweredError(`the SMSC answered ${pending.command} with something else`))
  }

  #serve(pdu: IncomingPdu): void {
    const { command, sequence } = pdu
    if (command === 'deliver_sm' || command === 'data_sm') void this.#deliver(pdu)
    else if (command === 'enquire_link') this.#answer('enquire_link_resp', sequence)
    else if (command === 'unbind') {
      this.#answer('unbind_resp', sequence)
      this.#socket.end()
      this.end('the SMSC ended the session')
    } else if (command !== 'alert_notification' && command !== 'outbind') {
      this.#answer('generic_nack', sequence, statusCode('ESME_RINVCMDID'))
    }
  }

  async #deliver(pdu: IncomingPdu): Promise<void> {
    const answer = (status: number) => this.#answer(`${pdu.command}_resp`, pdu.sequence, status)
    if (this.#deliveries >= this.#settings.maxDeliveries) return answer(statusCode('ESME_RX_T_APPN'))
    this.#deliveries++
    try {
      answer(await this.#settings.deliver(pdu))
    } finally {
      this.#deliveries--
    }
  }

  #answer(command: string, sequence: number, status = 0): void {
    this.#write(encodePdu(command, sequence, { command_status: status }))
  }

  #write(bytes: Buffer): void {
    if (!this.#alive) return
    this.#socket.write(bytes)
    if (this.#socket.writableLength > MAX_UNSENT) this.end('the SMSC does not read its answers')
  }

  async #enquire(): Promise<void> {
    if (performance.now() - this.#heardAt < this.#settings.enquireMs / 2) return
    await this.request('enquire_link').catch(() => this.end('the SMSC does not answer enquire_link'))
  }
}

/**
 * Cuts what a socket brings into PDUs, wherever the chunks break. Holds less than one PDU (16 KB) beside the chunk. Throws where a length
 * is none of SMPP's: nothing after that can be understood, and the connection must end.
 */
export class FrameReader {
  #chunks: Buffer[] = []
  #buffered = 0
  #needed = 4;

  *read(chunk: Buffer): Generator<Buffer, void, undefined> {
    this.#chunks.push(chunk)
    this.#buffered += chunk.length
    if (this.#buffered < this.#needed) return
    const data = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#buffered)
    let at = 0
    this.#needed = 4
    while (data.length - at >= 4) {
      const length = data.readUInt32BE(at)
      if (length < PDU_HEADER || length > MAX_PDU) throw new Error(`a PDU of ${length} bytes is no SMPP`)
      if (data.length - at < length) {
        this.#needed = length
        break
      }
      yield data.subarray(at, at + length)
      at += length
    }
    // A copy: the rest would keep the whole chunk in memory.
    this.#chunks = at === data.length ? [] : [Buffer.from(data.subarray(at))]
    this.#buffered = data.length - at
  }
}
