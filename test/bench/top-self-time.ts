import { readFileSync } from 'node:fs'

/** `node test/bench/top-self-time.ts FILE.cpuprofile`: where the time of a profiled service went, by part and by function. */
type CallFrame = Readonly<{ functionName: string; url: string; lineNumber: number }>
type Profile = Readonly<{
  nodes: readonly Readonly<{ id: number; callFrame: CallFrame }>[]
  samples: readonly number[]
  timeDeltas: readonly number[]
}>

const FUNCTIONS = 40

/** A package of the tree, a library, a module of Node, or what V8 itself does. */
const partOf = ({ url, functionName }: CallFrame): string => {
  const library = url.split('/node_modules/').at(-1)
  if (url.includes('/node_modules/')) return /^(@[^/]+\/)?[^/]+/.exec(library ?? '')?.[0] ?? url
  if (url.startsWith('node:')) return url.split('/').slice(0, 2).join('/')
  if (url === '') return functionName.startsWith('(') ? functionName : '(native)'
  return /\/((packages\/)?[^/]+)\/(src|bin)\//.exec(url)?.[1] ?? url
}

const nameOf = (frame: CallFrame): string =>
  `${frame.functionName || '(anonymous)'} ${frame.url.split('/').slice(-3).join('/')}:${frame.lineNumber + 1}`

const add = (times: Map<string, number>, key: string, time: number): void => void times.set(key, (times.get(key) ?? 0) + time)

const ranked = (times: Map<string, number>, busy: number, limit: number): string =>
  [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, limit)
    .map(([key, time]) => `${((100 * time) / busy).toFixed(1).padStart(6)} %  ${key}`)
    .join('\n')

const profile = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Profile
const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
const parts = new Map<string, number>()
const functions = new Map<string, number>()
let busy = 0
for (const [index, id] of profile.samples.entries()) {
  const frame = frames.get(id)
  const time = profile.timeDeltas[index] ?? 0
  if (frame === undefined || frame.functionName === '(idle)' || frame.functionName === '(root)') continue
  busy += time
  add(parts, partOf(frame), time)
  add(functions, nameOf(frame), time)
}
process.stdout.write(`busy ${(busy / 1e6).toFixed(2)} s\n\n${ranked(parts, busy, 30)}\n\n${ranked(functions, busy, FUNCTIONS)}\n`)
