const NOTHING = Buffer.alloc(0)
const LEAST = 4_096

/** Bytes that come in pieces, copied into one buffer that doubles: a body of single bytes costs no object for each. */
export type GrowingBytes = Readonly<{ length: () => number; add: (piece: Buffer) => void; bytes: () => Buffer }>

/** `most`: how many there will be at most, by what the sender promised and may send. */
export function growingBytes(most: number): GrowingBytes {
  let buffer: Buffer = NOTHING
  let length = 0
  const grow = (needed: number): void => {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(most, Math.max(LEAST, 2 * buffer.length))))
    buffer.copy(larger, 0, 0, length)
    buffer = larger
  }
  return {
    length: () => length,
    add: (piece) => {
      // The usual body is one piece: it is kept as it came.
      if (length === 0) buffer = piece
      else {
        if (length + piece.length > buffer.length) grow(length + piece.length)
        piece.copy(buffer, length)
      }
      length += piece.length
    },
    bytes: () => (buffer.length === length ? buffer : buffer.subarray(0, length)),
  }
}
