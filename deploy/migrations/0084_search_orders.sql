-- The indices that profile_search_created and profile_search_written of the profiles projection are, for tables that were built before: 3 s for a
-- million profiles.
do $$
begin
  if to_regclass('read.profile_search') is not null then
    create index if not exists profile_search_created on read.profile_search using btree (workspace_id, created_at, id);
    create index if not exists profile_search_written on read.profile_search using btree (workspace_id, last_commit);
  end if;
end $$;
