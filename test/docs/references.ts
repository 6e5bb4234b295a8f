import { posix } from 'node:path'
import { anchorsOf, headingsOf, readPage, withoutBlocks } from './markdown.ts'

/** A reference of a comment or a page that leads nowhere. */
type DeadReference = Readonly<{ file: string; line: number; reference: string; why: string }>

/** What references may lead to. `paths` are the files of the repository, relative to its root. */
export type Targets = Readonly<{
  paths: ReadonlySet<string>
  endings: ReadonlySet<string>
  rules: ReadonlySet<string>
  sections: ReadonlySet<string>
  packages: ReadonlySet<string>
  scripts: ReadonlySet<string>
}>

const CONTRACT = 'docs/reference/public-api.md'
const RULES = ['docs/reference/rules.md', 'docs/reference/operator-surface.md']

/** Migrations that ran are never changed, whatever their comments cite. */
const FROZEN = /^deploy\/migrations\//

/** Files that the product, a reader of a page or another tool makes, and files of other projects. */
const NOT_OURS = new Set([
  'Node.js',
  'applied.json',
  'bench.json',
  'contact.html',
  'contact.json',
  'endpoint.json',
  'FILE.unfinished.json',
  'manifest.json',
  'port.txt',
  'postmaster.opts',
  'proof.json',
  'received.txt',
  'receiver.mjs',
  'report.html',
  'secret.txt',
  'shop.yaml',
  'acme.yaml',
  'tidings.yaml',
  'verify.mjs',
  'verify.py',
  'storefront/sdk.js',
  'storefront/push-sw.js',
  'forms/embed.js',
  'Messages.json',
  'Calls.json',
  'openapi.json',
  '.env',
  'ipaddr.js',
  'validator.js',
  'deploy/kubernetes/mine',
])

/** Everything that a reference may lead to, of these files of the repository. */
export function targetsOf(files: readonly string[]): Targets {
  const manifests = files.filter((file) => file.endsWith('package.json')).map((file) => JSON.parse(readPage(file)))
  return {
    paths: new Set(files),
    endings: new Set(files.flatMap(endingsOf)),
    rules: new Set(RULES.flatMap((page) => [...anchorsOf(readPage(page))]).filter((anchor) => /^[ngmdo]\d+$/.test(anchor))),
    sections: new Set(headingsOf(readPage(CONTRACT))),
    packages: new Set(manifests.flatMap(({ name, exports }) => [name, ...subpathsOf(name, exports)])),
    scripts: new Set(manifests.flatMap(({ scripts = {} }) => Object.keys(scripts))),
  }
}

const subpathsOf = (name: string, exports: unknown): readonly string[] =>
  typeof exports === 'object' && exports !== null ? Object.keys(exports).map((subpath) => posix.join(name, subpath)) : []

/** Every way to name a file, or one of its folders, by the end of its path: `domain/src/kernel.ts` is also `src/kernel.ts` and `domain/src`. */
const endingsOf = (file: string): readonly string[] => {
  const parts = file.split('/')
  return parts.flatMap((_, end) => parts.slice(0, end + 1).map((_, begin) => parts.slice(begin, end + 1).join('/')))
}

const COMMENT = /^\s*(?:\/\*\*?|\*|\/\/|--|#)|\s(?:\/\/|--|#) /

/** What a file tells its reader: the prose of a page, the comments of anything else, line by line. */
const proseOf = (file: string, text: string): readonly string[] => {
  if (file.endsWith('.md')) return withoutBlocks(text).split('\n')
  return text.split('\n').map((line) => {
    const begin = line.search(COMMENT)
    return begin < 0 ? '' : line.slice(begin)
  })
}

type Check = Readonly<{ pattern: RegExp; deadBecause: (found: string, at: { file: string; targets: Targets }) => string | undefined }>

const FILE = /(?<![\w@/.*-])(?:\.{0,2}\/)?(?:[\w@.-]+\/)*[\w.-]+\.(?:ts|mjs|js|sql|md|yaml|yml|json|sh|txt|html)\b(?:#[\w-]+)?/g
const FOLDER =
  /(?<![\w@/.:-])(?:src|domain|packages|command-api|query-api|dashboard-api|projectors|consumers|deploy|docs|test|design)\/[\w./-]*[\w](?![\w*{.]|\/\*)/g

const isPlaceholder = (name: string): boolean => name.includes('NNNN') || NOT_OURS.has(name) || NOT_OURS.has(posix.basename(name))

/** `.events.ts` stands for every file whose name ends so, and so does a path that goes on: `test/chaos/event-log`. */
const isPartOfPath = (name: string, { paths }: Targets): boolean =>
  [...paths].some((path) => (name.startsWith('.') ? path.endsWith(name) : path.startsWith(name)))

const fileDeadBecause: Check['deadBecause'] = (found, { file, targets }) => {
  const [path = '', anchor] = found.split('#')
  const name = path.replace(/^(?:\.{0,2}\/)+/, '')
  if (isPlaceholder(name)) return undefined
  const beside = posix.normalize(posix.join(posix.dirname(file), path))
  if (!targets.paths.has(beside) && !targets.endings.has(name) && !isPartOfPath(name, targets)) return 'no file has this name'
  if (anchor === undefined || !name.endsWith('.md')) return undefined
  const page = targets.paths.has(beside) ? beside : name
  return targets.paths.has(page) && !anchorsOf(readPage(page)).has(anchor) ? 'the page has no such heading' : undefined
}

const CHECKS: readonly Check[] = [
  { pattern: FILE, deadBecause: fileDeadBecause },
  {
    pattern: FOLDER,
    deadBecause: (found, { targets }) =>
      isPlaceholder(found) || targets.endings.has(found) || isPartOfPath(found, targets) ? undefined : 'there is no such folder or file',
  },
  {
    pattern: /(?<![\w.-])[NGMDO]\d{1,3}(?![\w.-]*\w)/g,
    deadBecause: (found, { targets }) => (targets.rules.has(found.toLowerCase()) ? undefined : 'no rule has this id'),
  },
  {
    pattern: /(?<=\([Cc]ontract: )[^;,).]+/g,
    deadBecause: (found, { targets }) => (targets.sections.has(found.trim()) ? undefined : `${CONTRACT} has no such section`),
  },
  {
    pattern: /(?<![\w-])ADR \d+/g,
    deadBecause: (found, { targets }) => {
      const number = found.slice(4).padStart(4, '0')
      return [...targets.paths].some((path) => path.startsWith(`docs/adr/${number}-`)) ? undefined : 'there is no such decision'
    },
  },
  {
    pattern: /@tidings\/[\w/-]*\w/g,
    deadBecause: (found, { targets }) => (targets.packages.has(found) ? undefined : 'no package has this name, or it does not export this'),
  },
  {
    pattern: /(?<=npm run (?:-s )?)[a-z][\w:-]*/g,
    deadBecause: (found, { targets }) => (targets.scripts.has(found) ? undefined : 'no package.json has this script'),
  },
]

/** Every reference in the text of a file that leads nowhere. */
export function deadReferencesIn(file: string, text: string, targets: Targets): readonly DeadReference[] {
  if (FROZEN.test(file)) return []
  return proseOf(file, text).flatMap((line, index) =>
    CHECKS.flatMap(({ pattern, deadBecause }) =>
      [...line.matchAll(pattern)].flatMap(([reference]) => {
        const why = deadBecause(reference, { file, targets })
        return why === undefined ? [] : [{ file, line: index + 1, reference, why }]
      }),
    ),
  )
}
