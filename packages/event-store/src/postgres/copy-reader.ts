/** A signature, flags, and the length of what newer versions may put behind them. */
const HEADER_BYTES = 19
const LENGTH_AT = 15
const POSTGRES_EPOCH_MS = 946_684_800_000

/** Reads the rows of COPY's binary format (Postgres manual, COPY, "Binary Format"), column by column; it must know their types. */
export class CopyReader {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#at = HEADER_BYTES + bytes.readInt32BE(LENGTH_AT)
  }

  /** Goes on to the next row; false behind the last one. */
  next(): boolean {
    const columns = this.#bytes.readInt16BE(this.#at)
    this.#at += 2
    return columns >= 0
  }

  /** Null where the column is null. */
  #column(): number | null {
    const length = this.#bytes.readInt32BE(this.#at)
    this.#at += 4
    if (length < 0) return null
    const start = this.#at
    this.#at += length
    return start
  }

  skip(): void {
    this.#column()
  }

  bool(): boolean {
    const start = this.#column()
    return start !== null && this.#bytes[start] === 1
  }

  int4(): number {
    const start = this.#column()
    return start === null ? 0 : this.#bytes.readInt32BE(start)
  }

  int8(): bigint | null {
    const start = this.#column()
    return start === null ? null : this.#bytes.readBigInt64BE(start)
  }

  /** A timestamp, in whole milliseconds since the epoch, rounded as SQL rounds: Postgres keeps microseconds since the beginning of 2000. */
  timeMs(): number {
    const start = this.#column() ?? 0
    const microseconds = this.#bytes.readInt32BE(start) * 2 ** 32 + this.#bytes.readUInt32BE(start + 4)
    return Math.round(microseconds / 1_000) + POSTGRES_EPOCH_MS
  }

  text(): string {
    return this.#bytes.toString('utf8', this.#column() ?? this.#at, this.#at)
  }

  bytes(): Buffer {
    return this.#bytes.subarray(this.#column() ?? this.#at, this.#at)
  }
}
