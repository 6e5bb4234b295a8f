import type { Bench, Group } from '../lib/bench.ts'
import { heapFloor } from '../lib/heap-floor.ts'
import { type ReportRow, row } from '../lib/report.ts'
import { residentPeak } from '../lib/resident-peak.ts'
import {
  addEndpoint,
  cpuOf,
  moveWorkspace,
  startTelling,
  type Telling,
  untilFewerWait,
  untilWaiting,
  writeContacts,
} from '../lib/telling.ts'

const ENDPOINTS = 20
/** How much more a process may hold when twenty times as much waits. */
const GROWTH_MB = 32

/** `heap`: what was in use while more than half still waited. */
type Drained = Readonly<{ perSecond: number; node: number; postgres: number; heap: number }>

const drain = async (telling: Telling, waiting: number): Promise<Drained> => {
  const [nodeBefore, postgresBefore] = await cpuOf(telling)
  const startedAt = Date.now()
  await moveWorkspace(telling, 'resume')
  const floor = heapFloor(telling.service.url)
  await untilFewerWait(telling, waiting / 2)
  const heap = await floor.stop()
  await untilWaiting(telling, 0)
  const [node, postgres] = await cpuOf(telling)
  const { count, lastAt } = await telling.sink.take()
  if (count < waiting) throw new Error(`${waiting} waited, ${count} were received`)
  const each = (seconds: number): number => (seconds * 1e6) / count
  return {
    perSecond: count / ((lastAt - startedAt) / 1_000),
    node: each(node - nodeBefore),
    postgres: each(postgres - postgresBefore),
    heap,
  }
}

/** Fills the queues of a suspended workspace by real events, and lets it go. */
const fillAndDrain = async (telling: Telling, contacts: number): Promise<Drained & Readonly<{ peak: number }>> => {
  await telling.sink.take()
  await moveWorkspace(telling, 'suspend')
  const peak = residentPeak(telling.service.pid)
  await writeContacts(telling, contacts)
  await untilWaiting(telling, contacts * ENDPOINTS)
  telling.bench.say(`${contacts * ENDPOINTS} wait`)
  return { ...(await drain(telling, contacts * ENDPOINTS)), peak: await peak.stop() }
}

/** Measures the memory of the process while so many deliveries wait for twenty endpoints and are delivered. */
export function webhookQueue(deliveries: number): Group {
  return {
    name: `${deliveries.toLocaleString('en')} webhook deliveries that wait`,
    run: async (bench: Bench): Promise<readonly ReportRow[]> => {
      const telling = await startTelling(bench, 1)
      for (let n = 1; n <= ENDPOINTS; n++) await addEndpoint(telling, `/${n}`, ['contact.created'])
      bench.say('a twentieth of it, to warm up')
      const few = await fillAndDrain(telling, deliveries / ENDPOINTS / ENDPOINTS)
      bench.say('all of it')
      const many = await fillAndDrain(telling, deliveries / ENDPOINTS)
      return [
        row('heap in use, while a twentieth waits', 'MB', few.heap),
        row('heap in use, while all of it waits', 'MB', many.heap, { target: { atMost: few.heap + GROWTH_MB } }),
        row('resident memory at most, garbage included, a twentieth', 'MB', few.peak),
        row('resident memory at most, garbage included, all of it', 'MB', many.peak),
        row('delivered', '/s', many.perSecond),
        row('  CPU a delivery, Node', 'µs', many.node),
        row('  CPU a delivery, Postgres', 'µs', many.postgres),
      ]
    },
  }
}
