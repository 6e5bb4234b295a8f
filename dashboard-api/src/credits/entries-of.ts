import type { StreamReader } from '@tidings/codec'
import { unavailable } from '@tidings/http'
import { quarterStart, type WorkspaceId } from '@tidings/read-models'
import { placeOfMoment, readStatementBack, type StatementEntry } from '@tidings/wallet'
import type { Boundaries } from '../overview/period.ts'

/** Clocks of processes differ by less: an entry that is this much older than the period has no later one behind it. */
const CLOCKS_MS = 3_600_000

type WantedEntries = Readonly<{ workspaceId: WorkspaceId; boundaries: Boundaries; isGone: () => boolean }>

/** The entries of a wallet within a period, newest first: what is newer is not read, however much that is. Nothing is read for a caller who is gone. */
export async function* entriesOf(log: StreamReader, { workspaceId, boundaries, isGone }: WantedEntries): AsyncGenerator<StatementEntry> {
  const [begin, end] = [quarterStart(boundaries[0] ?? 0), quarterStart(boundaries.at(-1) ?? 0)]
  const before = await placeOfMoment(log, { workspaceId, at: end + CLOCKS_MS })
  for await (const { place: _, ...entry } of readStatementBack(log, { workspaceId, before })) {
    if (isGone()) throw unavailable()
    const at = Date.parse(entry.at)
    if (at < begin - CLOCKS_MS) return
    if (at >= begin && at < end) yield entry
  }
}
