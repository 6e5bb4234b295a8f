import { serveJobs } from '@tidings/async/threads'
import type { LogRange } from '@tidings/event-store'
import { type LogSource, openLogSource } from '@tidings/event-store/log-source'
import { type Leaves, leavesIn } from './leaf-parts.ts'

serveJobs<LogSource, LogRange, Leaves>(async (source) => leavesIn(openLogSource(source).store))
