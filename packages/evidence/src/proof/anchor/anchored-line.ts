import { canonical, parseHead } from '../../../verifiers/verify.mjs'
import { HEAD_KIND, type SignedHead } from '../heads.ts'

/** A head as anchors get it: one line of canonical JSON. */
export function lineOf(head: SignedHead): string {
  return canonical(head)
}

const isOurs = (head: ReturnType<typeof parseHead>): head is SignedHead => head?.statement.kind === HEAD_KIND

/** Null for a line that is no head, by the grammar of the verifiers. */
export function parseLine(line: string): SignedHead | null {
  const head = parseHead(Buffer.from(line))
  return isOurs(head) ? head : null
}
