-- Makes the extensions of the trigram index of read.profile_search. Both are trusted: a role may create them that may create in the database. Where it may not, or
-- the server does not have them, searches read every profile of a workspace; `tidings doctor` says what to do then.
do $$
declare
  extension text;
begin
  foreach extension in array array['pg_trgm', 'btree_gin'] loop
    begin
      execute format('create extension if not exists %I with schema public', extension);
    exception when insufficient_privilege or feature_not_supported or undefined_file or undefined_object or invalid_schema_name then
      raise warning 'no extension %: %', extension, sqlerrm;
    end;
  end loop;
end $$;
