import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { LoadPlan, LoadResult } from './load.ts'

const here = import.meta.dirname

/** A script of this folder in a process of its own; what it prints is read line by line. */
export const startScript = (file: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) => {
  const child = spawn(process.execPath, [`${here}/${file}`, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`${file} ended before it answered (exit code ${child.exitCode})`)
    return value as string
  }
  return { child, nextLine }
}

export const stopChild = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Runs one load plan in a fresh load generator. */
export const load = async (plan: LoadPlan): Promise<LoadResult> => {
  const { child, nextLine } = startScript('load.ts', [JSON.stringify(plan)])
  const result = JSON.parse(await nextLine()) as LoadResult
  await stopChild(child)
  return result
}

export type SmtpSink = Readonly<{ port: number; count: () => Promise<number>; stop: () => Promise<void> }>

export const startSmtpSink = async (): Promise<SmtpSink> => {
  const { child, nextLine } = startScript('smtp-sink.ts')
  const port = Number(await nextLine())
  return {
    port,
    count: async () => {
      child.stdin.write('count\n')
      return Number(await nextLine())
    },
    stop: () => stopChild(child),
  }
}

export type NaiveService = Readonly<{ url: string; stop: () => Promise<void> }>

export const startNaiveService = async (databaseUrl: string, key: string, tenant: string): Promise<NaiveService> => {
  const { child, nextLine } = startScript('naive-service.ts', [], { DATABASE_URL: databaseUrl, API_KEY: key, TENANT: tenant })
  return { url: await nextLine(), stop: () => stopChild(child) }
}
