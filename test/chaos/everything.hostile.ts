import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from './everything.world.ts'
import { ask } from './kill-service.client.ts'

/** Counts of the hostile requests. */
export type Attacks = { bodies: number; stalled: number; strangeMethods: number; silentNames: number; events: number }

/** `bodiesPauseMs`: between two huge bodies. */
type Hostile = Readonly<{ world: World; signal: AbortSignal; attacks: Attacks; bodiesPauseMs?: number | undefined }>

/** An address that is not of honest clients, but as good as any other. */
const LOCAL_ADDRESS = '127.0.0.2'
const BODY_BYTES = 8 * 1024 * 1024 - 2
const HUGE = `[${'{},'.repeat(Math.floor(BODY_BYTES / 3))}{}]`
const STALLED = 12
export const SILENT_NAMES = 20
const PAUSE_MS = 500

const open = async (url: string): Promise<Socket | null> => {
  const { port } = new URL(url)
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: LOCAL_ADDRESS })
  const opened = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.on('error', () => undefined)
  socket.resume()
  return opened ? socket : null
}

const closed = (socket: Socket, withinMs: number, signal: AbortSignal): Promise<unknown> =>
  Promise.race([once(socket, 'close').catch(() => undefined), sleep(withinMs, undefined, { signal }).catch(() => undefined)])

const head = (method: string, length: number): string =>
  `${method} /api/v1/public/profiles HTTP/1.1\r\nHost: tidings\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

/** Bodies of almost 8 MiB that cost much to parse, without a key. */
const hugeBodies = async ({ world, signal, attacks, bodiesPauseMs = PAUSE_MS }: Hostile): Promise<void> => {
  for (; !signal.aborted; await sleep(bodiesPauseMs)) {
    const socket = await open(world.stack.of('command-api').url)
    if (socket === null) continue
    attacks.bodies++
    socket.write(head('POST', HUGE.length))
    socket.end(HUGE)
    await closed(socket, 10_000, signal)
    socket.destroy()
  }
}

/** A body that is announced and never comes, without a key. */
const stalledSocket = async ({ world, signal, attacks }: Hostile): Promise<void> => {
  for (; !signal.aborted; await sleep(PAUSE_MS)) {
    const socket = await open(world.stack.of('command-api').url)
    if (socket === null) continue
    attacks.stalled++
    socket.write(`${head('POST', BODY_BYTES)}[`)
    await closed(socket, 60_000, signal)
    socket.destroy()
  }
}

const strangeMethods = async ({ world, signal, attacks }: Hostile): Promise<void> => {
  for (; !signal.aborted; await sleep(PAUSE_MS)) {
    const socket = await open(world.stack.of('query-api').url)
    if (socket === null) continue
    attacks.strangeMethods++
    socket.write(`${head('QUERY', 2)}{}`)
    await sleep(PAUSE_MS)
    socket.destroy()
  }
}

/** Webhook endpoints on names whose server answers once, for their creation, and then never again. */
const silentNames = async ({ world: { dns, hostile: api }, signal, attacks }: Hostile): Promise<void> => {
  for (let [n, tries] = [0, 0]; n < SILENT_NAMES && !signal.aborted; tries++) {
    // One that was made without an answer is there: the next has another name.
    const host = `silent-${tries}.example`
    dns.answers.set(host, ['127.0.0.1'])
    const made = await ask(api, 'POST /public/webhooks', { body: { url: `https://${host}/hook`, events: ['contact.created'] } })
    dns.answers.set(host, null)
    if (made?.status === 201) attacks.silentNames = ++n
    else await sleep(PAUSE_MS)
  }
  for (; !signal.aborted; await sleep(PAUSE_MS)) {
    const made = await ask(api, 'POST /public/profiles', { body: { email: `${randomUUID()}@hostile.example` } })
    if (made?.status === 201) attacks.events++
  }
}

/** Attacks the service in every way at once, until the signal, and counts. */
export async function attack(hostile: Hostile): Promise<void> {
  const stalled = Array.from({ length: STALLED }, () => stalledSocket(hostile))
  await Promise.all([hugeBodies(hostile), strangeMethods(hostile), silentNames(hostile), ...stalled])
}
