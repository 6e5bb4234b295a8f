import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { cpus, loadavg, platform, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { median } from './report.ts'
import { unitUs } from './unit.ts'

/**
 * `fdatasyncMs`: the median of writing 8 KiB down to the disk. `busyBefore`: the load average of the last minute as the bench began. `bundled`: the
 * service runs from a bundle of these sources, as after `npm start`. `unitUs`: what a static answer of Fastify cost then, in µs of Node's CPU.
 */
export type Machine = Readonly<{
  cpu: string
  cores: number
  memoryGiB: number
  kernel: string
  node: string
  fdatasyncMs: number
  inMemory: boolean
  bundled: boolean
  busyBefore: number
  unitUs: number | null
}>

const TMPFS = 0x01021994
const WRITES = 200

const fdatasyncMs = (parent: string): number => {
  const folder = mkdtempSync(join(parent, 'tidings-bench-'))
  const file = openSync(join(folder, 'probe'), 'w')
  const block = Buffer.alloc(8_192, 1)
  const once = (): number => {
    const begun = performance.now()
    writeSync(file, block, 0, block.length, 0)
    fdatasyncSync(file)
    return performance.now() - begun
  }
  try {
    return median(Array.from({ length: WRITES }, once))
  } finally {
    closeSync(file)
    rmSync(folder, { recursive: true })
  }
}

const BUNDLE = join(import.meta.dirname, '../../../packages/cli/bin/current-bundle.mjs')
const { currentBundle }: Readonly<{ currentBundle: () => string | null }> = await import(BUNDLE)

/** What the figures depend on. */
export async function machine(parent: string = tmpdir()): Promise<Machine> {
  const busyBefore = Number((loadavg()[0] ?? 0).toFixed(2))
  const unit = await unitUs()
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    fdatasyncMs: Number(fdatasyncMs(parent).toFixed(3)),
    inMemory: statfsSync(parent).type === TMPFS,
    bundled: currentBundle() !== null,
    busyBefore,
    unitUs: unit === null ? null : Number(unit.toFixed(1)),
  }
}

export function machineLine({ cpu, cores, memoryGiB, kernel, node, unitUs: unit, ...disk }: Machine): string {
  const speed = unit === null ? '' : `, a static answer of Fastify ${unit} µs of CPU`
  const kind = disk.inMemory ? 'IN MEMORY: fsync costs nothing here, choose a disk with --dir' : `fdatasync of 8 KiB ${disk.fdatasyncMs} ms`
  const run = disk.bundled ? '' : ', FROM SOURCES, which starts slower and takes more memory: node packages/cli/bin/bundle.mjs'
  return `Machine: ${cores} × ${cpu}, ${memoryGiB} GiB, ${platform()} ${kernel}, Node ${node}, ${kind}${speed}, load average before ${disk.busyBefore}${run}.`
}

/** How it is measured, said above the figures. */
export function methodOf({ seconds, runs }: Readonly<{ seconds: number; runs: number }>): string {
  return `Method: everything on this machine (service, Postgres with fsync on, load generator, SMTP sink); load by a generator in a process of
its own; after a warm-up ${runs} runs of ${seconds} s a figure (sending: ${3 * seconds} s), the median of them. Where there is a baseline the two
take turns (A B A B …) on the same Postgres, the baseline being a Fastify service with the same key check and body that does
one INSERT, or one SELECT, a request. A ratio is value / baseline; a target beside a ratio is the ratio's.`
}
