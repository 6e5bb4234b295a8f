import { projection, table } from '@tidings/analyst'

/** Each contact's events in their order: one that is applied twice, left out or out of order changes the digest. */
const chains = table({
  name: 'chains',
  columns: { stream: 'text', events: 'integer', digest: 'integer' },
  key: ['stream'],
  cachedRows: 100,
})

/** A run for which this is set dies with that event of its own: the test, which watches from outside, may be too slow to strike. */
let eventsLeft = Number(process.env.ANALYST_DIES_AT ?? Number.POSITIVE_INFINITY)

export default projection({
  name: 'chains',
  events: ['ContactEmailValidated'],
  tables: { chains },
  apply({ stream, revision }, { chains }) {
    if (--eventsLeft === 0) process.kill(process.pid, 'SIGKILL')
    const row = chains.get(stream) ?? { stream, events: 0, digest: 7 }
    chains.put({ stream, events: row.events + 1, digest: (row.digest * 31 + revision) % 1_000_003 })
  },
})
