import { projection } from '@tidings/analyst'

/**
 * From an event to an open to a click: of the people who did something (`order_placed`, …), how many opened a mail within a week after it, and
 * how many clicked in one. By SQL alone: tables of facts, and a view that answers. Opens and clicks of programs do not count.
 */
export default projection({
  name: 'funnel',
  events: ['ActivityRecorded', 'EmailOpened', 'EmailClicked'],
  async init(sql) {
    await sql(`create table done (
      workspace_id uuid, contact_id uuid, event text, at timestamptz, primary key (workspace_id, contact_id, event, at))`)
    await sql(`create table engaged (
      workspace_id uuid, contact_id uuid, kind text, at timestamptz, primary key (workspace_id, contact_id, kind, at))`)
    await sql(`create view funnel as
      with reached as (
        select d.workspace_id, d.event, d.contact_id, bool_or(e.kind = 'open') as opened, bool_or(e.kind = 'click') as clicked
        from done d left join engaged e on e.workspace_id = d.workspace_id and e.contact_id = d.contact_id
          and e.at >= d.at and e.at < d.at + interval '7 days'
        group by 1, 2, 3)
      select workspace_id, event, count(*)::int as people, (count(*) filter (where opened))::int as opened,
        (count(*) filter (where clicked))::int as clicked
      from reached group by 1, 2`)
  },
  async applyBatch(events, sql) {
    const done = events.filter((event) => event.type === 'ActivityRecorded')
    await sql(`insert into done select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[]) on conflict do nothing`, [
      done.map(({ workspaceId }) => workspaceId),
      done.map(({ data }) => data.contactId),
      done.map(({ data }) => data.event),
      done.map(({ data }) => data.occurredAt),
    ])
    const engaged = events.filter((event) => event.type !== 'ActivityRecorded').filter(({ data }) => !data.machine)
    await sql(`insert into engaged select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[]) on conflict do nothing`, [
      engaged.map(({ workspaceId }) => workspaceId),
      engaged.map(({ data }) => data.contactId),
      engaged.map(({ type }) => (type === 'EmailOpened' ? 'open' : 'click')),
      engaged.map(({ at }) => at),
    ])
  },
})
