/** An activity of a contact: its place in the log, when it was recorded and when it occurred (milliseconds). */
export type RecentActivity = Readonly<{ position: Readonly<{ commit: bigint; prepare: bigint }>; at: number; occurredAt: number }>

/** Activities of one contact and name that are kept whole. Older ones are only counted and dated. */
const MAX_RECENT = 8

/** The text with one more activity, without the oldest where there are too many: some 25 bytes each. */
export function withRecent(text: string, { position: { commit, prepare }, at, occurredAt }: RecentActivity): string {
  const added = [commit, prepare, at, occurredAt].map((part) => part.toString(36)).join('.')
  return [...text.split(' ').filter((one) => one !== ''), added].slice(-MAX_RECENT).join(' ')
}

/** The activities of a text of `withRecent`, the oldest first; none where the row is of a build that wrote no such text. */
export function recentIn(text: string | undefined): readonly RecentActivity[] {
  return (text ?? '').split(' ').flatMap((one) => {
    const [commit, prepare, at, occurredAt] = one.split('.')
    if (commit === undefined || prepare === undefined || at === undefined || occurredAt === undefined) return []
    const position = { commit: bigIn(commit), prepare: bigIn(prepare) }
    return [{ position, at: Number.parseInt(at, 36), occurredAt: Number.parseInt(occurredAt, 36) }]
  })
}

const bigIn = (text: string): bigint => [...text].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n)
