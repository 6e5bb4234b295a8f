import { connect, type Socket } from 'node:net'
import { type Answer, readAnswers } from './answers.ts'
import type { Fill, RateResult } from './fixed-rate.ts'
import type { LoadPlan } from './load-plan.ts'
import { percentile } from './report.ts'

type UnpacedPlan = Pick<LoadPlan, 'url' | 'method' | 'headers' | 'connections' | 'seconds' | 'from' | 'expect'> &
  Readonly<{ path: Fill; body: Fill | undefined }>

type Tally = { next: number; answered: number; refused: number; refusal: string | null; pending: number; took: number[] }
type UnpacedClient = Readonly<{ plan: UnpacedPlan; tally: Tally; until: number }>

/** Most answers are shorter; a longer one comes in pieces. */
const BUFFER_BYTES = 16 * 1024
const TIMEOUT_MS = 10_000

const isExpected = (status: number, expect: number | undefined): boolean => (expect === undefined ? status < 300 : status === expect)

const requestOf = ({ url, method, headers, path, body }: UnpacedPlan): Fill => {
  const fields = Object.entries({ host: new URL(url).host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const shared = ` HTTP/1.1\r\n${fields.join('')}`
  return (n) => {
    const sent = body?.(n)
    const length = sent === undefined ? '' : `content-length: ${Buffer.byteLength(sent)}\r\n`
    return `${method} ${path(n)}${shared}${length}\r\n${sent ?? ''}`
  }
}

const count = ({ plan, tally }: UnpacedClient, { status, head, body }: Answer): void => {
  if (/\r\nx-consistency:/i.test(head)) tally.pending++
  if (isExpected(status, plan.expect)) tally.answered++
  else refuse(tally, `${status} ${body}`)
}

const refuse = (tally: Tally, why: string): void => {
  tally.refused++
  tally.refusal ??= why
}

/** One connection: the next request leaves when the one before is answered. The first leaves however late it connects: each asks at least once. */
const ask = (asking: UnpacedClient, request: Fill): Promise<void> => {
  const { plan, tally, until } = asking
  const { hostname: host, port } = new URL(plan.url)
  const { promise, resolve } = Promise.withResolvers<void>()
  let asked = 0
  const send = (): void => {
    const isFirst = asked === 0
    asked = performance.now()
    if (isFirst || asked < until) socket.write(request(tally.next++))
    else socket.end(resolve)
  }
  const lose = (why: string): void => {
    refuse(tally, why)
    socket.destroy()
    resolve()
  }
  const read = readAnswers((answer) => {
    tally.took.push(performance.now() - asked)
    count(asking, answer)
    send()
  })
  const take = (bytes: number, buffer: Uint8Array): boolean => {
    try {
      read(buffer.subarray(0, bytes) as Buffer)
    } catch (error) {
      lose((error as Error).message)
    }
    return true
  }
  const socket: Socket = connect({
    host,
    port: Number(port),
    noDelay: true,
    onread: { buffer: Buffer.alloc(BUFFER_BYTES), callback: take },
  })
  socket.setTimeout(TIMEOUT_MS, () => lose(`no answer for ${TIMEOUT_MS / 1_000} s`))
  socket.once('connect', send)
  socket.once('error', ({ message }) => lose(message))
  socket.once('end', () => socket.writableEnded || lose('the connection was closed'))
  return promise
}

/**
 * Callers that each begin again when they are answered, over connections that stay open; ends when the last one is answered. A request costs
 * it half of what it costs autocannon (38 and 75 µs, Node 24), which competes for the cores with what is measured.
 */
export async function runUnpaced(plan: UnpacedPlan): Promise<RateResult> {
  const tally: Tally = { next: plan.from, answered: 0, refused: 0, refusal: null, pending: 0, took: [] }
  const asking = { plan, tally, until: performance.now() + plan.seconds * 1_000 }
  const request = requestOf(plan)
  await Promise.all(Array.from({ length: plan.connections }, () => ask(asking, request)))
  const { took, ...counted } = tally
  return { ...counted, p50: percentile(took, 0.5), p99: percentile(took, 0.99) }
}
