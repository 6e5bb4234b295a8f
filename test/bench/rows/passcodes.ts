import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Bench, Group } from '../lib/bench.ts'
import { closedLoop } from '../lib/closed-loop.ts'
import { cpuSecondsOf, cpuSecondsOfTree } from '../lib/cpu.ts'
import { median, percentile, type ReportRow, row } from '../lib/report.ts'
import { type Side, type Sides, startSides } from '../lib/sides.ts'

const CALLERS = 64
/** The development outbox keeps a thousand messages: what is asked there must be recent. */
const ONE_CODE_ROUNDS = 20
/** Cold code costs three times as much, and there are only six attempts for each passcode that was issued. */
const WARM_UP = 5

type SideName = 'tidings' | 'naive'
type Client = (path: string, body: object) => Promise<Readonly<Record<string, unknown>>>

const clientOf = (bench: Bench, { workspace, ...sides }: Sides, name: SideName): Client => {
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS })
  bench.after(async () => agent.destroy())
  return async (path, body) => {
    const sent = request(`${sides[name].url}/api/v1${path}`, { method: 'POST', agent, headers: workspace.headers })
    sent.end(JSON.stringify(body))
    const [response] = await once(sent, 'response')
    const answer = await text(response)
    if (response.statusCode !== 200) throw new Error(`${path} was answered ${response.statusCode}: ${answer}`)
    return JSON.parse(answer).data
  }
}

let numbers = 10_000_000
const newPhone = (): string => `+9725${numbers++}`

const issue = async (client: Client): Promise<string> => String((await client('/otp/send', { phone: newPhone() })).verificationId)

/** Guesses that are wrong, six at each passcode, which is as many as are recorded before their answer. */
const guess = async (client: Client, ids: readonly string[]) => {
  const took: number[] = []
  const started = performance.now()
  let next = 0
  const caller = async (): Promise<void> => {
    for (let n = next++; n < ids.length * 6; n = next++) {
      const began = performance.now()
      const { reason } = await client('/otp/verify', { verificationId: ids[n % ids.length], code: 'none' })
      if (reason === 'expired_or_unknown') throw new Error('a passcode took fewer than six attempts')
      took.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  return { perSecond: (took.length / (performance.now() - started)) * 1_000, p99: percentile(took, 0.99) }
}

/** The right code from 64 callers at once: exactly one is answered that it is right. Milliseconds until all are answered. */
const verifyOne = async (sides: Sides, client: Client): Promise<number> => {
  const phone = newPhone()
  const { verificationId } = await client('/otp/send', { phone })
  const outbox = await fetch(`${sides.tidings.url}/dev/outbox?channel=sms&to=${encodeURIComponent(phone)}`)
  const { items } = (await outbox.json()) as { items: readonly { body: string }[] }
  const code = /\d{6}/.exec(items[0]?.body ?? '')?.[0]
  const began = performance.now()
  const results = await Promise.all(Array.from({ length: CALLERS }, () => client('/otp/verify', { verificationId, code })))
  const took = performance.now() - began
  const right = results.filter(({ verified }) => verified).length
  if (right !== 1) throw new Error(`one code was right ${right} times`)
  return took
}

type Figures = Readonly<Record<'issued' | 'issueP99' | 'verified' | 'verifyP99', number>>

type Measured = Readonly<{ client: Client; side: Side; isWarm: boolean }>

const measureSide = async (bench: Bench, { client, side, isWarm }: Measured): Promise<Figures> => {
  const ids: string[] = []
  const call = async () => void ids.push(await issue(client))
  const issued = await closedLoop({ callers: CALLERS, seconds: (isWarm ? 1 : WARM_UP) * bench.seconds, call })
  const cpu = async () => [(await cpuSecondsOf(side.pid)) ?? 0, (await cpuSecondsOfTree(side.postgresPid)) ?? 0] as const
  if (isWarm) side.toggleProfile?.()
  const [nodeBefore, postgresBefore] = await cpu()
  const verified = await guess(client, ids)
  const [nodeAfter, postgresAfter] = await cpu()
  if (isWarm) side.toggleProfile?.()
  const us = (seconds: number) => Math.round((seconds * 1e6) / (ids.length * 6))
  bench.say(
    `issued ${Math.round(issued.perSecond)}/s, p99 ${issued.p99.toFixed(1)} ms; verified ${Math.round(verified.perSecond)}/s, p99 ${verified.p99.toFixed(1)} ms, ` +
      `CPU an attempt: node ${us(nodeAfter - nodeBefore)} µs, postgres ${us(postgresAfter - postgresBefore)} µs`,
  )
  return { issued: issued.perSecond, issueP99: issued.p99, verified: verified.perSecond, verifyP99: verified.p99 }
}

/** Passcodes issued into the development outbox, wallet included, and attempts at them; the naive service has one INSERT and one UPDATE … RETURNING. */
export const passcodes: Group = {
  name: 'passcodes',
  run: async (bench) => {
    const sides = await startSides(bench, { TIDINGS_PASSCODES_PER_WORKSPACE: 'off', TIDINGS_PASSCODES_PER_PREFIX: 'off' })
    const clients = { tidings: clientOf(bench, sides, 'tidings'), naive: clientOf(bench, sides, 'naive') }
    const all: Record<SideName, Figures[]> = { tidings: [], naive: [] }
    for (let run = 0; run <= bench.runs; run++) {
      for (const side of ['tidings', 'naive'] as const) {
        const figures = await measureSide(bench, { client: clients[side], side: sides[side], isWarm: run > 0 })
        if (run > 0) all[side].push(figures)
      }
    }
    const took: number[] = []
    for (let round = 0; round < ONE_CODE_ROUNDS; round++) took.push(await verifyOne(sides, clients.tidings))
    const of = (side: SideName, figure: keyof Figures) => median(all[side].map((figures) => figures[figure]))
    const compared = (name: string, unit: string, figure: keyof Figures, target?: Parameters<typeof row>[3]): ReportRow =>
      row(name, unit, of('tidings', figure), { baseline: of('naive', figure), ...target })
    return [
      compared('passcodes issued, 64 callers', '/s', 'issued'),
      compared('  p99', 'ms', 'issueP99'),
      compared('attempts at passcodes, 64 callers', '/s', 'verified', { target: { atLeast: 2 } }),
      compared('  p99', 'ms', 'verifyP99'),
      row('one code verified by 64 callers at once, until all are answered', 'ms', median(took)),
    ]
  },
}
