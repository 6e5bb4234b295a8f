import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { escapeHtml } from '@tidings/domain'
import { type CallFrame, isBusy, library, nameOf, ownPart, type Profile } from './lib/cpu-profile.ts'

/**
 * `node test/bench/flame-graph.ts FILE.cpuprofile… > FILE.svg`: the time of a profiled service as a picture, callers below, as wide as their
 * share of the busy time. The colour names the owner of the code: ours, a library, Node, the garbage collector.
 */
type Flame = { readonly frame: CallFrame; time: number; readonly above: Map<string, Flame> }

const WIDTH = 1_200
const ROW = 15
const LETTER = 5.8
const MIN_SHARE = 0.002

const COLOURS = { ours: '#f0a35e', library: '#8fbf7f', node: '#8fb2d9', garbage: '#b9b9b9' }

const flameOf = (frame: CallFrame): Flame => ({ frame, time: 0, above: new Map() })

/** Adds a profile to the tree; the same function called from the same stack is one flame. */
const grow = (root: Flame, { nodes, samples, timeDeltas }: Profile): void => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const times = new Map<number, number>()
  for (const [index, id] of samples.entries()) times.set(id, (times.get(id) ?? 0) + (timeDeltas[index] ?? 0))
  const visit = (id: number, below: Flame): number => {
    const node = byId.get(id)
    if (node === undefined || (node.callFrame.functionName !== '(root)' && !isBusy(node.callFrame))) return 0
    const name = nameOf(node.callFrame)
    const flame = node === nodes[0] ? root : (below.above.get(name) ?? flameOf(node.callFrame))
    if (flame !== root) below.above.set(name, flame)
    let time = flame === root ? 0 : (times.get(id) ?? 0)
    for (const child of node.children ?? []) time += visit(child, flame)
    flame.time += time
    return time
  }
  if (nodes[0]) visit(nodes[0].id, root)
}

const colourOf = (frame: CallFrame): string => {
  if (frame.functionName === '(garbage collector)') return COLOURS.garbage
  return ownPart(frame) !== null ? COLOURS.ours : library(frame) !== null ? COLOURS.library : COLOURS.node
}

type FramePosition = Readonly<{ x: number; depth: number; all: number }>

const drawn = ({ frame, time, above }: Flame, { x, depth, all }: FramePosition): readonly string[] => {
  const [width, y] = [(WIDTH * time) / all, -ROW * (depth + 1)]
  const letters = Math.floor((width - 4) / LETTER)
  const label = letters < 3 ? '' : escapeHtml((frame.functionName || '(anonymous)').slice(0, letters))
  const of = `${escapeHtml(nameOf(frame))}, ${((100 * time) / all).toFixed(1)} %`
  const text = label === '' ? '' : `<text x="${(x + 2).toFixed(1)}" y="${y + ROW - 4}">${label}</text>`
  const box = `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="${colourOf(frame)}"/>`
  return [`<g><title>${of}</title>${box}${text}</g>`, ...rowOf(above, { x, depth: depth + 1, all })]
}

/** The widest first, each beside the one before. */
const rowOf = (flames: ReadonlyMap<string, Flame>, { x, depth, all }: FramePosition): readonly string[] => {
  let at = x
  return [...flames.values()]
    .filter(({ time }) => time >= MIN_SHARE * all)
    .sort((a, b) => b.time - a.time)
    .flatMap((flame) => {
      const lines = drawn(flame, { x: at, depth, all })
      at += (WIDTH * flame.time) / all
      return lines
    })
}

const depthOf = (flames: ReadonlyMap<string, Flame>, all: number): number =>
  Math.max(0, ...[...flames.values()].filter(({ time }) => time >= MIN_SHARE * all).map(({ above }) => 1 + depthOf(above, all)))

const files = process.argv.slice(2)
const root = flameOf({ functionName: '(root)', url: '', lineNumber: 0 })
for (const file of files) grow(root, JSON.parse(readFileSync(file, 'utf8')) as Profile)
const height = ROW * (depthOf(root.above, root.time) + 2)
const legend = Object.entries(COLOURS).map(([name, colour], n) => {
  return `<rect x="${90 * n}" y="${4 - height}" width="10" height="10" fill="${colour}"/><text x="${90 * n + 14}" y="${13 - height}">${name}</text>`
})
process.stdout.write(
  `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 ${-height} ${WIDTH} ${height}" font-family="monospace" font-size="10">`,
    `<title>${escapeHtml(files.map((file) => basename(file)).join(', '))}: ${(root.time / 1e6).toFixed(2)} s busy</title>`,
    `<rect x="0" y="${-height}" width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...legend,
    ...rowOf(root.above, { x: 0, depth: 0, all: root.time }),
    '</svg>',
  ].join('\n')}\n`,
)
