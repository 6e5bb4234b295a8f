/** Every job that is not done, as a table for `from`: those that wait, and those that are claimed as a bundle. */
export const EVERY_JOB = `(
  select kind, lane, seq, workspace_id, payload, attempt::int, due_at, token, deferred_for from inbox.job
  union all
  select b.kind, j.lane, j.seq, b.workspace_id, j.payload, 0, b.due_at, b.token, null
  from inbox.bundle b cross join lateral unnest(b.lanes, b.seqs, b.payloads) j(lane, seq, payload)) every_job`
