-- Puts the id of a later time in place of one: its first 32 bits count 65.5 s each.
create function pg_temp.later(id text, units int) returns text language sql immutable
  return lpad(to_hex(('x' || left(id, 8))::bit(32)::int + units), 8, '0') || substr(id, 9);

-- The stream of the same history later on. A claim's is named by a digest, the others by an id.
create function pg_temp.later_stream(stream text, nth int, units int) returns text language sql immutable
  return case when stream like 'claim-%' then overlay(stream placing '~' || chr(96 + nth) from 50 for 2)
              else left(stream, -36) || pg_temp.later(right(stream, 36), units) end;

-- Its data as the codec writes it: the id of what it is about comes first, of a message the contact's follows.
create function pg_temp.later_data(stream text, data text, units int) returns text language sql immutable
  return case
    when stream like 'message-%' then
      overlay(overlay(data placing pg_temp.later(substr(data, 15, 36), units) from 15 for 36)
        placing pg_temp.later(substr(data, 66, 36), units) from 66 for 36)
    when stream like 'contact-%' then overlay(data placing pg_temp.later(substr(data, 15, 36), units) from 15 for 36)
    else data end;
