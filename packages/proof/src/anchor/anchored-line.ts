import { canonical } from '../../verifiers/verify.mjs'
import { HEAD_KIND, type SignedHead } from '../heads.ts'

/** A head as anchors get it: one line of canonical JSON. */
export function lineOf(head: SignedHead): string {
  return canonical(head)
}

const isHead = (value: unknown): value is SignedHead => {
  const { signature, statement } = (value ?? {}) as Partial<SignedHead>
  return typeof signature === 'string' && statement?.kind === HEAD_KIND && Number.isSafeInteger(statement.size)
}

/** Null for a line that is no head. */
export function parseLine(line: string): SignedHead | null {
  try {
    const value: unknown = JSON.parse(line)
    return isHead(value) ? value : null
  } catch {
    return null
  }
}
