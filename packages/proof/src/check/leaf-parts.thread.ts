import { serveJobs } from '@tidings/async/threads'
import type { LogRange } from '@tidings/event-store'
import { type LogSource, openLogSource } from '@tidings/event-store/log-source'
import { type LeafPart, leavesIn } from './leaf-parts.ts'

serveJobs<LogSource, LogRange, LeafPart>(async (source) => leavesIn(openLogSource(source).store))
