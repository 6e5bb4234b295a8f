import type { WorkspaceId } from '@tidings/domain'

/** The sign, the country and what most carriers begin with: `+97250`, `+49170`, `+12125`. */
const PREFIX = 6

/** The country and, mostly, the carrier of a number. */
export function carrierOf(to: string): string {
  return to.slice(0, PREFIX)
}

/** What a message to a phone shares with others that one carrier's trouble would meet: the workspace, the sender and the carrier's numbers. */
export function phoneRoute({ workspaceId, from, to }: Readonly<{ workspaceId: WorkspaceId; from: string; to: string }>): string {
  return `${workspaceId} ${from} ${carrierOf(to)}`
}
