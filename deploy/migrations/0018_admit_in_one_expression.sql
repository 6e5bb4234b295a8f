-- `inbox.admit` as one value, so that a statement that moves a checkpoint can carry it. `nth` and `lanes`: the claimed jobs, by their numbers in the arrays, in
-- their order, all under one token.
create function inbox.admit_as_value(
  p_kind text, p_workspace uuid[], p_lane text[], p_seq bigint[], p_payload text[], p_room integer, p_lease_ms bigint,
  p_has uuid[], p_counts integer[])
returns json language plpgsql as $f$
begin
  return (
    select json_build_object('added', max(a.added), 'token', max(a.token)::text,
      'nth', coalesce(json_agg(a.nth order by a.line) filter (where a.nth is not null), '[]'),
      'lanes', coalesce(json_agg(a.lane::text order by a.line) filter (where a.nth is not null), '[]'))
    from inbox.admit(p_kind, p_workspace, p_lane, p_seq, p_payload, p_room, p_lease_ms, p_has, p_counts)
      with ordinality a(added, nth, lane, token, line));
end $f$;
