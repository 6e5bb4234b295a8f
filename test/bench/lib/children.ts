import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { LoadPlan, LoadResult } from './load-plan.ts'
import type { TakenMessages } from './smtp-sink.ts'
import type { TakenWebhooks } from './webhook-sink.ts'

const bench = join(import.meta.dirname, '..')

const living = new Set<ChildProcess>()

/** A Node process that ends with the bench, however that ends. */
export function startNode(args: readonly string[], options: Readonly<{ cwd?: string; env: NodeJS.ProcessEnv }>) {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], ...options })
  living.add(child)
  child.once('exit', () => living.delete(child))
  return child
}

/** Ends every process; waiting for one of them rejects. */
export function endChildren(): void {
  for (const child of living) child.kill('SIGTERM')
}

/** A script of the bench in a process of its own; what it prints is read line by line. */
export function startScript(file: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const child = startNode([join(bench, file), ...args], { env: { ...process.env, ...env } })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`${file} ended before it answered (exit code ${child.exitCode})`)
    return value as string
  }
  return { child, nextLine }
}

export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** Runs a script that answers one JSON line; the caller knows its type. */
export async function runScript<Answer>(file: string, input: unknown): Promise<Answer> {
  const { child, nextLine } = startScript(file, [JSON.stringify(input)])
  const ended = once(child, 'exit')
  const answer = JSON.parse(await nextLine()) as Answer
  await ended
  return answer
}

/** Runs one load plan in a new load generator. Rejects when a request was refused: a figure of errors is no figure. */
export async function load(plan: LoadPlan): Promise<LoadResult> {
  const result = await runScript<LoadResult>('lib/load.ts', plan)
  const { refused, answered, refusal } = result
  if (refused > 0) throw new Error(`${refused} of ${answered + refused} requests to ${plan.path} were refused: ${refusal}`)
  return result
}

/** A process that takes messages, and counts them. */
export type MessageSink = Readonly<{ pid: number; count: () => Promise<number>; stop: () => Promise<void> }>

const sinkOf = ({ child, nextLine }: ReturnType<typeof startScript>): MessageSink => ({
  pid: child.pid ?? 0,
  count: async () => {
    child.stdin.write('count\n')
    return Number(await nextLine())
  },
  stop: () => stopChild(child),
})

/** `take`: what was received since it was taken last. */
export type SmtpSink = MessageSink & Readonly<{ port: number; take: () => Promise<TakenMessages> }>

/** `args`: as `smtp-sink.ts` takes them. */
export async function startSmtpSink(args: readonly string[] = []): Promise<SmtpSink> {
  const script = startScript('lib/smtp-sink.ts', args)
  return {
    port: Number(await script.nextLine()),
    ...sinkOf(script),
    take: async () => {
      script.child.stdin.write('take\n')
      return JSON.parse(await script.nextLine()) as TakenMessages
    },
  }
}

/** A server of Twilio's API in a process of its own. */
export async function startTwilioSink(): Promise<MessageSink & Readonly<{ url: string }>> {
  const script = startScript('lib/twilio-sink.ts')
  return { url: await script.nextLine(), ...sinkOf(script) }
}

/** `take`: what was received since it was taken last; `count`: how much that would be. */
export type WebhookSink = Readonly<{
  url: string
  count: () => Promise<number>
  take: () => Promise<TakenWebhooks>
  stop: () => Promise<void>
}>

export async function startWebhookSink(): Promise<WebhookSink> {
  const { child, nextLine } = startScript('lib/webhook-sink.ts')
  const port = Number(await nextLine())
  return {
    url: `http://127.0.0.1:${port}`,
    count: async () => {
      child.stdin.write('count\n')
      return Number(await nextLine())
    },
    take: async () => {
      child.stdin.write('take\n')
      return JSON.parse(await nextLine()) as TakenWebhooks
    },
    stop: () => stopChild(child),
  }
}

export type PlainService = Readonly<{ url: string; pid: number; stop: () => Promise<void> }>

export async function startNaiveService(databaseUrl: string, key: string, tenant: string): Promise<PlainService> {
  const { child, nextLine } = startScript('lib/naive-service.ts', [], { DATABASE_URL: databaseUrl, API_KEY: key, TENANT: tenant })
  return { url: await nextLine(), pid: child.pid ?? 0, stop: () => stopChild(child) }
}

export async function startRawService(): Promise<PlainService> {
  const { child, nextLine } = startScript('lib/raw-service.ts')
  return { url: await nextLine(), pid: child.pid ?? 0, stop: () => stopChild(child) }
}
