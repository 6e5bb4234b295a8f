/** The sign, the country and what most carriers begin with: `+97250`, `+49170`, `+12125`. */
const PREFIX = 6

/** What a message to a phone shares with others that one carrier's trouble would meet: the workspace, the sender and the carrier's numbers. */
export function phoneRoute({ workspaceId, from, to }: Readonly<{ workspaceId: string; from: string; to: string }>): string {
  return `${workspaceId} ${from} ${to.slice(0, PREFIX)}`
}
