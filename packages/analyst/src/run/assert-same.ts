import { OperationFailed } from '@tidings/config'
import { comparePositions, type Position, positionText } from '@tidings/event-store'
import type { Checkpoint, Contents } from './checkpoint.ts'

type ExpectedContents = Omit<Contents, 'from'> & Readonly<{ file: string; from: Position | null }>

const differenceOf = (filled: Checkpoint, wanted: ExpectedContents): string | null => {
  if (filled.projection !== wanted.projection) return `it holds projection ${filled.projection}`
  if (filled.hash !== wanted.hash) return `${wanted.file} has changed since`
  if (filled.workspaceId !== wanted.workspaceId)
    return filled.workspaceId === null ? 'it holds all workspaces' : 'it holds one workspace, and not this one'
  if (filled.personal !== wanted.personal) return `it was filled ${filled.personal ? 'with' : 'without'} --personal`
  const begins = wanted.from ?? filled.from
  return comparePositions(filled.from, begins) === 0 ? null : `it begins after ${positionText(filled.from)}`
}

/** A run goes on only with what began: anything else would fill one schema with two answers. */
export function assertSame(schema: string, filled: Checkpoint, wanted: ExpectedContents): void {
  const difference = differenceOf(filled, wanted)
  if (difference === null) return
  throw new OperationFailed(
    `Schema ${schema} was filled by another run (${difference}): fill it anew with --restart, or fill another with --schema NAME.`,
  )
}

/** A checkpoint that the log does not reach belongs to another log, or to this one before it was set back. */
export function assertReached(schema: string, position: Position, head: Position): void {
  if (comparePositions(position, head) <= 0) return
  throw new OperationFailed(
    `Schema ${schema} was filled up to ${positionText(position)}, and the log ends at ${positionText(head)}: it was set back, so fill the schema anew with --restart.`,
  )
}
