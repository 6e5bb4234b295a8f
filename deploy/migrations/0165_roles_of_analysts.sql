-- The logins that `projection run` makes, each for a schema that it fills: the service ends sessions of theirs that hold up others (ADR 36). Owned by the
-- command. A login cannot take itself off, whatever becomes of its schema.
create table ops.analyst_role (
  role   name primary key,
  schema name not null
);

-- Those of versions before this table, by the name that the command gives them.
insert into ops.analyst_role (role, schema)
select r.rolname, n.nspname from pg_namespace n join pg_roles r on r.oid = n.nspowner
where r.rolname = left(n.nspname, 40) || '_' || left(encode(sha256(convert_to(current_database() || '/' || n.nspname, 'UTF8')), 'hex'), 12);
