import type { Bench, Group } from '../lib/bench.ts'
import { residentMb } from '../lib/cpu.ts'
import { type Row, row } from '../lib/report.ts'
import { residentPeak } from '../lib/resident-peak.ts'
import { addEndpoint, cpuOf, moveWorkspace, startTelling, type Telling, untilWaiting, writeContacts } from '../lib/telling.ts'

const ENDPOINTS = 20
/** What a queue that holds a million may have more of than an empty one. */
const GROWTH_MB = 64

const drain = async (telling: Telling, waiting: number): Promise<Readonly<{ perSecond: number; node: number; postgres: number }>> => {
  const [nodeBefore, postgresBefore] = await cpuOf(telling)
  const startedAt = Date.now()
  await moveWorkspace(telling, 'resume')
  await untilWaiting(telling, 0)
  const [node, postgres] = await cpuOf(telling)
  const { count, lastAt } = await telling.sink.take()
  if (count < waiting) throw new Error(`${waiting} waited, ${count} were received`)
  return {
    perSecond: count / ((lastAt - startedAt) / 1_000),
    node: ((node - nodeBefore) * 1e6) / count,
    postgres: ((postgres - postgresBefore) * 1e6) / count,
  }
}

/** Fills the queues of a suspended workspace by real events, and lets it go. */
const fillAndDrain = async (
  telling: Telling,
  contacts: number,
): Promise<Awaited<ReturnType<typeof drain>> & { filled: number; peak: number }> => {
  await telling.sink.take()
  await moveWorkspace(telling, 'suspend')
  const peak = residentPeak(telling.service.pid)
  await writeContacts(telling, contacts)
  await untilWaiting(telling, contacts * ENDPOINTS)
  const filled = (await residentMb(telling.service.pid)) ?? Number.NaN
  telling.bench.say(`${contacts * ENDPOINTS} wait; resident ${Math.round(filled)} MB`)
  const drained = await drain(telling, contacts * ENDPOINTS)
  return { ...drained, filled, peak: await peak.stop() }
}

/** So many deliveries wait for twenty endpoints and are delivered: what that does to the memory of the process. */
export const webhookQueue = (deliveries: number): Group => ({
  name: `${deliveries.toLocaleString('en')} webhook deliveries that wait`,
  run: async (bench: Bench): Promise<readonly Row[]> => {
    const telling = await startTelling(bench, 1)
    for (let n = 1; n <= ENDPOINTS; n++) await addEndpoint(telling, `/${n}`, ['contact.created'])
    bench.say('a twentieth of it, to warm up')
    const few = await fillAndDrain(telling, deliveries / ENDPOINTS / ENDPOINTS)
    bench.say('all of it')
    const many = await fillAndDrain(telling, deliveries / ENDPOINTS)
    return [
      row('resident memory at most, a twentieth filled and delivered', 'MB', few.peak),
      row('  while that waited', 'MB', few.filled),
      row('resident memory at most, all filled and delivered', 'MB', many.peak, { target: { atMost: few.peak + GROWTH_MB } }),
      row('  while all of it waited', 'MB', many.filled, { target: { atMost: few.peak + GROWTH_MB } }),
      row('delivered', '/s', many.perSecond),
      row('  CPU a delivery, Node', 'µs', many.node),
      row('  CPU a delivery, Postgres', 'µs', many.postgres),
    ]
  },
})
