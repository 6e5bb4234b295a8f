import { projection } from '@tidings/analyst'

/** A run for which this is set dies after that event of its own: the test, which watches from outside, may be too slow to strike. */
let eventsLeft = Number(process.env.ANALYST_DIES_AT ?? Number.POSITIVE_INFINITY)

/** The same by SQL: a second application of a batch would add to the sums. */
export default projection({
  name: 'sums',
  events: ['ContactEmailValidated'],
  init: (sql) => sql('create table chains (stream text primary key, events integer not null, digest bigint not null)'),
  applyBatch: async (events, sql) => {
    await sql(
      `insert into chains as c select stream, count(*), sum(revision * revision) from unnest($1::text[], $2::bigint[]) as e (stream, revision)
       group by stream on conflict (stream) do update set events = c.events + excluded.events, digest = c.digest + excluded.digest`,
      [events.map(({ stream }) => stream), events.map(({ revision }) => revision)],
    )
    eventsLeft -= events.length
    if (eventsLeft <= 0) process.kill(process.pid, 'SIGKILL')
  },
})
