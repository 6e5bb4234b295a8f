import type { Recorded, StreamReader } from '@tidings/codec'
import type { WorkspaceId } from '@tidings/domain'

type StreamEventsRequest = Readonly<{ workspaceId: WorkspaceId; stream: string; from?: number }>

const PAGE = 1_000

/** The events of a stream, from the revision `from` on, oldest first. Reads page by page, and holds one page in memory. */
export async function* streamEvents<E extends Readonly<{ type: string; data: unknown }>>(
  log: StreamReader,
  { workspaceId, stream, from = 0 }: StreamEventsRequest,
): AsyncGenerator<Recorded<E>> {
  for (let next = from; ; ) {
    const page = await log.readStream<E>(workspaceId, stream, { from: next, limit: PAGE, pastLimits: true })
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    next = last.revision + 1
  }
}
