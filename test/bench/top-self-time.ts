import { readFileSync } from 'node:fs'
import { isBusy, library, nameOf, ownPart, type Profile } from './lib/cpu-profile.ts'

/**
 * `node test/bench/top-self-time.ts FILE.cpuprofile…`: where the time of a profiled service went. By part: the time of a part's own
 * code and of the libraries and the parts of Node that it calls. By function: its own time alone.
 */
const PARTS = 30
const FUNCTIONS = 40

type NamedFrame = Readonly<{ own: string | null; library: string | null }>

/** The owner of a node's time: the nearest caller in our tree, else the nearest library, else Node itself. */
const partsOf = ({ nodes }: Profile): ReadonlyMap<number, string> => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parts = new Map<number, string>()
  const visit = (id: number, above: NamedFrame): void => {
    const node = byId.get(id)
    if (node === undefined) return
    const here = { own: ownPart(node.callFrame) ?? above.own, library: library(node.callFrame) ?? above.library }
    const { functionName, url } = node.callFrame
    const fallback = functionName.startsWith('(') ? functionName : url.startsWith('node:') ? 'node' : 'native'
    parts.set(id, functionName === '(garbage collector)' ? functionName : (here.own ?? here.library ?? fallback))
    for (const child of node.children ?? []) visit(child, here)
  }
  const root = nodes[0]
  if (root) visit(root.id, { own: null, library: null })
  return parts
}

const add = (times: Map<string, number>, key: string, time: number): void => void times.set(key, (times.get(key) ?? 0) + time)

const ranked = (times: Map<string, number>, busy: number, limit: number): string =>
  [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, limit)
    .map(([key, time]) => `${((100 * time) / busy).toFixed(1).padStart(6)} %  ${key}`)
    .join('\n')

const parts = new Map<string, number>()
const functions = new Map<string, number>()
const total = { busy: 0, all: 0 }

const count = (profile: Profile): void => {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  const partOf = partsOf(profile)
  for (const [index, id] of profile.samples.entries()) {
    const frame = frames.get(id)
    const time = profile.timeDeltas[index] ?? 0
    total.all += time
    if (frame === undefined || !isBusy(frame)) continue
    total.busy += time
    add(parts, partOf.get(id) ?? '?', time)
    add(functions, nameOf(frame), time)
  }
}

for (const file of process.argv.slice(2)) count(JSON.parse(readFileSync(file, 'utf8')) as Profile)
process.stdout.write(`busy ${(total.busy / 1e6).toFixed(2)} of ${(total.all / 1e6).toFixed(2)} s\n\n`)
process.stdout.write(`${ranked(parts, total.busy, PARTS)}\n\n${ranked(functions, total.busy, FUNCTIONS)}\n`)
