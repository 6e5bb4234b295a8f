import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReportRow } from './report.ts'

/** What a group of rows is measured with. `seconds` and `runs` are those of one figure; longer measurements multiply them. */
export type Bench = Readonly<{
  seconds: number
  runs: number
  /** How much is set up, where a group needs thousands of messages: `small` takes minutes less and says less. */
  size: 'full' | 'small'
  /** The folder of the service's V8 profiles; null: it is not profiled. */
  profileDir: string | null
  /** Progress, on the terminal. */
  say: (text: string) => void
  /** An empty folder on a real disk, gone after the group. */
  folder: () => Promise<string>
  /** Runs after the group, whatever became of it; the last added first. */
  after: (close: () => Promise<void>) => void
}>

/** `lacks`: what the machine lacks for the group, as a sentence; null where it can run. */
export type Group = Readonly<{
  name: string
  run: (bench: Bench) => Promise<readonly ReportRow[]>
  lacks?: (env: NodeJS.ProcessEnv) => string | null
}>

type BenchOptions = Pick<Bench, 'seconds' | 'runs' | 'size' | 'profileDir'> & Readonly<{ parent: string | undefined }>

const say = (text: string): void => void process.stderr.write(`${text}\n`)

/** Runs one group on folders of its own, and leaves nothing behind: no process, no file. */
export async function runGroup({ name, run }: Group, { parent = tmpdir(), ...options }: BenchOptions): Promise<readonly ReportRow[]> {
  const closing: (() => Promise<void>)[] = []
  const after = (close: () => Promise<void>): void => void closing.push(close)
  const folder = async (): Promise<string> => {
    const path = await mkdtemp(join(parent, 'tidings-bench-'))
    after(() => rm(path, { recursive: true, force: true }))
    return path
  }
  say(`${name}:`)
  const begun = performance.now()
  try {
    const rows = await run({ ...options, say: (text) => say(`  ${text}`), folder, after })
    say(`  took ${((performance.now() - begun) / 60_000).toFixed(1)} minutes`)
    return rows
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}
