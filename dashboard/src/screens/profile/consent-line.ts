// The line from the creation of a person to now, of which one point is shown.

/** A moment that an address names; null for now, for what is no moment, and for one that has not come. */
export function parseAt(text: string | null, now: number): string | null {
  const at = text === null || text === '' ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) || at >= now ? null : new Date(at).toISOString()
}

export type Line = Readonly<{ from: number; to: number }>

/** From what was first: the creation, or what was said before it and brought later. */
export function lineOf({ createdAt, said, now }: Readonly<{ createdAt: string; said: readonly string[]; now: number }>): Line {
  const from = Math.min(Date.parse(createdAt), ...said.map((at) => Date.parse(at)))
  return { from, to: Math.max(from + 1, now) }
}

/** Where a moment is on the line, of a hundred. */
export function placeOn({ from, to }: Line, at: string): number {
  return Math.min(100, Math.max(0, ((Date.parse(at) - from) / (to - from)) * 100))
}

const two = (value: number): string => String(value).padStart(2, '0')

/** As a field for a moment has it, in the reader's zone, to the second. */
export function localMoment(at: string): string {
  const date = new Date(at)
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}
