-- The lock of es.append was an advisory one, whose number any login of the database may take: the role of an analyst could stop every write. It is
-- the lock of a table now, on which no other role has a right. An append that waits for the old lock while this is applied is let through first.
create table es.append_lock (
  rows boolean not null check (rows is null)  -- it has none
);
select pg_advisory_xact_lock(7100001);
create or replace function es.lock() returns void language plpgsql as $$
begin
  lock table es.append_lock in exclusive mode;
end $$;
