import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { threadCount } from '@tidings/async/threads'
import { exportLog, type Format } from '@tidings/backup-and-export/log-export'
import { eventDeclarations } from '@tidings/domain'
import { MASTER_KEY, openEngine } from '../lib/engine.ts'

/** One export of the whole log in a new process, as `tidings log export` makes it. */
export type ExportInput = Readonly<{ url: string; format: Format; sealed: boolean }>
/** `peakMb`: the most memory that the process ever held. */
export type ExportAnswer = Readonly<{ events: number; seconds: number; cpuSeconds: number; peakMb: number; fileMb: number }>

const { url, format, sealed } = JSON.parse(process.argv[2] ?? '{}') as ExportInput
const engine = await openEngine(url)
const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-export-'))
const file = join(folder, 'log')
const selection = { format, sealed, types: null, workspaceId: null, from: null, since: null, until: null }
const { store, log, workPool: pool } = engine
const [started, before] = [performance.now(), process.cpuUsage()]
const known = new Set(Object.keys(eventDeclarations))
const threads = { url, masterKeys: [MASTER_KEY] as const, count: threadCount() }
const { events } = await exportLog({ file, selection, store, log, pool, known, threads })
const seconds = (performance.now() - started) / 1_000
const { user, system } = process.cpuUsage(before)
const fileMb = (await stat(file)).size / 1e6
await engine.close()
await rm(folder, { recursive: true })
const cpuSeconds = (user + system) / 1e6
const peakMb = (process.resourceUsage().maxRSS * 1_024) / 1e6
process.stdout.write(`${JSON.stringify({ events, seconds, cpuSeconds, peakMb, fileMb } satisfies ExportAnswer)}\n`)
