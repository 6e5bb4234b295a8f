import pg from 'pg'
import { BinaryRow } from './binary-row.ts'

/** The signature, the flags and the length of what else is in the header: none. */
const HEADER_BYTES = 11 + 4 + 4
const COUNT_BYTES = 2
/** In the place of a row's count of columns: there is no row more. */
const TRAILER = -1

type Reader = (row: BinaryRow) => void
type Done = (error?: Error) => void

/** What pg sends, and calls with what comes, in the place of a query of its own. */
class CopyOut implements pg.Submittable {
  /** Set by pg. */
  callback: Done | undefined
  readonly #text: string
  readonly #read: Reader
  readonly #row = new BinaryRow()
  #isBegun = false
  #failure: Error | undefined

  constructor(text: string, read: Reader) {
    this.#text = text
    this.#read = read
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text)
  }

  /** One row each; the header comes alone or before the first. The bytes are another's as soon as this returns, and what it throws would end the process. */
  handleCopyData({ chunk }: Readonly<{ chunk: Buffer<ArrayBuffer> }>): void {
    const at = this.#isBegun ? 0 : HEADER_BYTES
    this.#isBegun = true
    if (this.#failure !== undefined || at === chunk.length || chunk.readInt16BE(at) === TRAILER) return
    this.#row.begin(chunk, at + COUNT_BYTES)
    try {
      this.#read(this.#row)
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
    }
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.callback?.(error)
  }

  handleReadyForQuery(): void {
    this.callback?.(this.#failure)
  }
}

/** As pg's clients and pools do it, beyond their types. */
type Caller = Readonly<{ query: (query: pg.Submittable, values: readonly [], done: Done) => void }>

/**
 * Reads the rows of a query as a binary COPY. Measured for pages of 2 000 events: 2.0 instead of 4.1 µs of Node's CPU an event, and 2.9 instead of
 * 4.1 of Postgres'. A COPY takes no parameters: values go through `literal`.
 */
export function copyOut(db: Pick<pg.ClientBase, 'query'>, query: string, read: Reader): Promise<void> {
  return new Promise((resolve, reject) => {
    const done: Done = (error) => (error ? reject(error) : resolve())
    ;(db as unknown as Caller).query(new CopyOut(`copy (${query}) to stdout (format binary)`, read), [], done)
  })
}

type Value = bigint | number | string | readonly string[] | null

/** A value as SQL: Postgres reads the quoted text of any type. */
export function literal(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'object') return `array[${value.map(pg.escapeLiteral).join(', ')}]`
  return pg.escapeLiteral(String(value))
}
