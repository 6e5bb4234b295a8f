import { settings } from './settings.ts'

/** Variables that are no settings: of the launcher, of tests, and those that clients of the API are given in our documents. */
const OTHER_NAMES: ReadonlySet<string> = new Set([
  ...['TIDINGS_CONFIG', 'TIDINGS_FROM_SOURCE', 'TIDINGS_VERSION', 'TIDINGS_E2E'],
  ...['TIDINGS_URL', 'TIDINGS_BASE_URL', 'TIDINGS_API_KEY', 'TIDINGS_KEY', 'TIDINGS_TENANT', 'TIDINGS_WEBHOOK_SECRET'],
])

/** What Kubernetes sets in every container beside a service that is called `tidings`, or `tidings-…`. */
const OF_KUBERNETES = /^TIDINGS(_[A-Z0-9_]+)?_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/

const isOfTests = (name: string): boolean => name.startsWith('TIDINGS_TEST_')

/** The first variable that begins as ours do and is none, and the setting whose name is nearest. One that is empty says nothing. */
export function unknownVariable(env: Readonly<Record<string, string | undefined>>): Readonly<{ name: string; nearest: string }> | null {
  const known = new Set(settings.map(({ notes }) => notes.env))
  const name = Object.keys(env)
    .sort()
    .find((one) => {
      if (!one.startsWith('TIDINGS_') || env[one] === undefined || env[one] === '') return false
      return !known.has(one) && !OTHER_NAMES.has(one) && !isOfTests(one) && !OF_KUBERNETES.test(one)
    })
  return name === undefined ? null : { name, nearest: nearestName(name, [...known]) }
}

/** The name that has all words of this one and others, else the one with the fewest changes of a letter to get there; of several, the first. */
export function nearestName(name: string, known: readonly string[]): string {
  const text = name.slice(0, 200)
  const longer = known.filter((one) => text.split('_').every((word) => one.split('_').includes(word)))
  const [first = ''] = longer.length > 0 ? longer : known
  return (longer.length > 0 ? longer : known).reduce(
    (best, one) => (changesBetween(text, one) < changesBetween(text, best) ? one : best),
    first,
  )
}

/** Letters that are added, left out, replaced, or swapped with their neighbour (Damerau and Levenshtein, neighbours only). */
function changesBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, at) => at)]
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row.push(
        Math.min(
          cell(i - 1, j) + 1,
          cell(i, j - 1) + 1,
          cell(i - 1, j - 1) + (isSame ? 0 : 1),
          isSwapped ? cell(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return cell(one.length, other.length)
}
