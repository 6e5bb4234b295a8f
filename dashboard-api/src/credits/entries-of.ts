import type { StreamReader } from '@tidings/codec'
import { quarterStart, type WorkspaceId } from '@tidings/read-models'
import { readStatementBack, type StatementEntry } from '@tidings/wallet'
import type { Boundaries } from '../overview/period.ts'

/** Clocks of processes differ by less: an entry that is this much older than the period has no later one behind it. */
const CLOCKS_MS = 3_600_000

/** The entries of a wallet within a period, newest first. */
export async function* entriesOf(
  log: StreamReader,
  { workspaceId, boundaries }: Readonly<{ workspaceId: WorkspaceId; boundaries: Boundaries }>,
): AsyncGenerator<StatementEntry> {
  const [begin, end] = [quarterStart(boundaries[0] ?? 0), quarterStart(boundaries.at(-1) ?? 0)]
  for await (const { place: _, ...entry } of readStatementBack(log, { workspaceId })) {
    const at = Date.parse(entry.at)
    if (at < begin - CLOCKS_MS) return
    if (at >= begin && at < end) yield entry
  }
}
