import { type Position, START } from './port.ts'

const DIGITS = 20
/** The largest position of both stores. */
const LARGEST = 2n ** 63n - 1n
const TEXT = /^(\d{1,20})(?:-(\d{1,20}))?$/

const padded = (part: bigint): string => String(part).padStart(DIGITS, '0')

/** A position as people and scripts get it: texts sort as their positions do. Zeros are the place before the first event. */
export function positionText(position: Position): string {
  const { commit, prepare } = position
  if (commit < 0n) return padded(0n)
  return prepare === 0n ? padded(commit) : `${padded(commit)}-${padded(prepare)}`
}

/** The position that `positionText` wrote, or that a person did, without the leading zeros; null for any other text. */
export function parsePosition(text: string): Position | null {
  const [, commit, prepare = '0'] = TEXT.exec(text) ?? []
  if (commit === undefined) return null
  const position = { commit: BigInt(commit), prepare: BigInt(prepare) }
  if (position.commit > LARGEST || position.prepare > LARGEST) return null
  return position.commit === 0n && position.prepare === 0n ? START : position
}
