import { hash } from 'node:crypto'

export const HASH_BYTES = 32

/** RFC 6962 §2.1: the hash of the empty tree. */
export const EMPTY_ROOT = hash('sha256', '', 'buffer')

/** RFC 6962 §2.1: a leaf and a node are hashed behind different bytes, so that neither passes for the other. */
export function leafHash(text: string): Buffer {
  return hash('sha256', `\0${text}`, 'buffer')
}

const pair = Buffer.alloc(1 + 2 * HASH_BYTES, 1)

export function nodeHash(left: Buffer, right: Buffer): Buffer {
  left.copy(pair, 1)
  right.copy(pair, 1 + HASH_BYTES)
  return hash('sha256', pair, 'buffer')
}
