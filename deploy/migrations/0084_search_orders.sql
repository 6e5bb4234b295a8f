-- The indices that profile_search_created and profile_search_written of the profiles projection are, for tables that were built before: 3 s for a
-- million profiles. Those that wait beside the live ones, to be swapped in or back, get them too.
do $$
declare
  v_table text;
begin
  foreach v_table in array array['profile_search', 'profile_search__next', 'profile_search__old'] loop
    if to_regclass('read.' || v_table) is not null then
      execute format('create index if not exists %I on read.%I using btree (workspace_id, created_at, id)', v_table || '_created', v_table);
      execute format('create index if not exists %I on read.%I using btree (workspace_id, last_commit)', v_table || '_written', v_table);
    end if;
  end loop;
end $$;
