/** A V8 profile, as `--cpu-prof` of the bench or of Node writes it. Times in µs. */
export type CallFrame = Readonly<{ functionName: string; url: string; lineNumber: number }>
type ProfileNode = Readonly<{ id: number; callFrame: CallFrame; children?: readonly number[] }>
export type Profile = Readonly<{ nodes: readonly ProfileNode[]; samples: readonly number[]; timeDeltas: readonly number[] }>

const IDLE = new Set(['(idle)', '(root)'])

/** False while the process waited, or wrote the profile itself. */
export function isBusy({ functionName, url }: CallFrame): boolean {
  return !IDLE.has(functionName) && !url.startsWith('node:inspector')
}

/** One program of all modules, and of the libraries that each start loads. */
const BUNDLE = '/node_modules/.cache/tidings/'

/** A folder of the tree, or the bundle; null for code that is not ours. */
export function ownPart({ url }: CallFrame): string | null {
  if (url.includes(BUNDLE)) return 'bundle'
  return url.includes('/node_modules/') ? null : (/\/((packages\/)?[^/]+\/(src|bin)(\/[^/]+(?=\/))?)/.exec(url)?.[1] ?? null)
}

/** The package of code that is not ours; null for Node's own. */
export function library({ url }: CallFrame): string | null {
  return url.includes('/node_modules/') && !url.includes(BUNDLE)
    ? (/^(@[^/]+\/)?[^/]+/.exec(url.split('/node_modules/').at(-1) ?? '')?.[0] ?? null)
    : null
}

/** `begin src/run/session.ts:12` */
export function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  const name = functionName || '(anonymous)'
  return url === '' ? name : `${name} ${url.split('/').slice(-3).join('/')}:${lineNumber + 1}`
}
