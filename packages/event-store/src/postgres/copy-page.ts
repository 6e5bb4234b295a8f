import type pg from 'pg'

/** What a page of a thousand events mostly needs. */
const FIRST_BYTES = 1024 * 1024
/** Larger ones are of pages that seldom come. */
const MOST_KEPT_BYTES = 4 * FIRST_BYTES
const MOST_KEPT = 2

/** Buffers that are used again: a new one for each page cost a third of all CPU in collections of garbage. */
export class PageBuffers {
  readonly #free: Buffer[] = []

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(FIRST_BYTES)
  }

  /** Gives it back, once: at a second call another reader may have it already. */
  releaseOf(buffer: Buffer): () => void {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      if (this.#free.length < MOST_KEPT && buffer.length <= MOST_KEPT_BYTES) this.#free.push(buffer)
    }
  }
}

/** `bytes`: a part of `buffer`. */
export type CopiedPage = Readonly<{ bytes: Buffer; buffer: Buffer }>

/** What the client calls with each row; `chunk` is a part of a buffer that it uses again. */
type CopyData = Readonly<{ chunk: Buffer }>

/**
 * The bytes of a `copy … to stdout`, all at once. The client gives each row as it is in its buffer: no text is made of it, where a query makes
 * one of each column.
 */
class CopyPage implements pg.Submittable {
  readonly #text: string
  readonly #done = Promise.withResolvers<CopiedPage>()
  #buffer: Buffer
  #length = 0
  /** A client with a `query_timeout` puts in here what ends its timer. */
  callback: (error: Error | null) => void = () => undefined

  constructor(text: string, buffer: Buffer) {
    this.#text = text
    this.#buffer = buffer
  }

  get done(): Promise<CopiedPage> {
    return this.#done.promise
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text)
  }

  handleCopyData({ chunk }: CopyData): void {
    const length = this.#length + chunk.length
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#buffer.length))
      this.#buffer.copy(larger, 0, 0, this.#length)
      this.#buffer = larger
    }
    chunk.copy(this.#buffer, this.#length)
    this.#length = length
  }

  handleRowDescription(): void {}

  handleDataRow(): void {}

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(null)
    this.#done.resolve({ bytes: this.#buffer.subarray(0, this.#length), buffer: this.#buffer })
  }

  handleError(error: Error): void {
    this.callback(error)
    this.#done.reject(error)
  }
}

/**
 * Runs statements of which one is a `copy … to stdout`, and reads that one's rows into the buffer or a larger one. A `CopyReader` reads rows of
 * the binary format. The answers of the other statements are dropped.
 */
export async function copyPage(pool: pg.Pool, statements: string, buffer: Buffer): Promise<CopiedPage> {
  const client = await pool.connect()
  try {
    const page = await client.query(new CopyPage(statements, buffer)).done
    client.release()
    return page
  } catch (error) {
    client.release(true)
    throw error
  }
}
