import { projection, table } from '@tidings/analyst'

/** Each contact's events in their order: one that is applied twice, left out or out of order changes the digest. */
const chains = table({
  name: 'chains',
  columns: { stream: 'text', events: 'integer', digest: 'integer' },
  key: ['stream'],
  cachedRows: 100,
})

export default projection({
  name: 'chains',
  events: ['ContactEmailValidated'],
  tables: { chains },
  apply({ stream, revision }, { chains }) {
    const row = chains.get(stream) ?? { stream, events: 0, digest: 7 }
    chains.put({ stream, events: row.events + 1, digest: (row.digest * 31 + revision) % 1_000_003 })
  },
})
