import { eventId, type StreamReader } from '@tidings/codec'
import type { WorkspaceId } from '@tidings/domain'

/**
 * Counts the events that the command appended to the stream, by the log: the result of a command whose repetition appends nothing. Reads the
 * whole stream.
 */
export async function writtenBy(
  log: StreamReader,
  stream: string,
  { workspaceId, commandId }: Readonly<{ workspaceId: WorkspaceId; commandId: string }>,
): Promise<number> {
  const ids = new Set((await log.readStream(workspaceId, stream)).map(({ id }) => id))
  let count = 0
  while (ids.has(eventId(commandId, stream, count))) count++
  return count
}
