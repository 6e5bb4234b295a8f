import { projection, table } from '@tidings/analyst'

/** Opt-ins and opt-outs per day, channel and source. A repeated statement is an event too, and changes nothing: it is not counted. */
const daily = table({
  name: 'opt_ins_per_day',
  columns: { workspace_id: 'uuid', day: 'date', channel: 'text', source: 'text', opt_ins: 'integer', opt_outs: 'integer' },
  key: ['workspace_id', 'day', 'channel', 'source'],
})

export default projection({
  name: 'opt_ins',
  events: ['ContactConsentRecorded'],
  tables: { daily },
  apply(event, { daily }) {
    const { channel, source, from, to } = event.data
    const [workspace_id, day] = [event.workspaceId, event.at.slice(0, 10)]
    const isIn = to === 'subscribed' && from !== 'subscribed'
    const isOut = from === 'subscribed' && to !== 'subscribed'
    if (!isIn && !isOut) return
    const row = daily.get(workspace_id, day, channel, source) ?? { workspace_id, day, channel, source, opt_ins: 0, opt_outs: 0 }
    daily.put({ ...row, opt_ins: row.opt_ins + Number(isIn), opt_outs: row.opt_outs + Number(isOut) })
  },
})
