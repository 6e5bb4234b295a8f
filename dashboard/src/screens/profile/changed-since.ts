import type { PastProfile, Profile } from '../../api/calls.ts'

// What a profile was at a moment, held against what it is now.

/** What both say of a person. */
export type ShownProfile = Pick<Profile, keyof Profile & keyof PastProfile & string>

/** Texts, tags and properties; what was never set and what is empty are the same. */
export function isChanged(then: unknown, now: unknown): boolean {
  return ordered(then) !== ordered(now)
}

/** As JSON whose keys have an order. */
const ordered = (value: unknown): string =>
  JSON.stringify(value ?? '', (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )

/** The change before the moment and the one behind it; null where there is none. Without a moment one looks back from now. */
export function stepsFrom(moments: readonly string[], at: string | null): Readonly<{ before: string | null; next: string | null }> {
  if (at === null) return { before: moments.at(-1) ?? null, next: null }
  return { before: moments.findLast((moment) => moment < at) ?? null, next: moments.find((moment) => moment > at) ?? null }
}
