-- Work of minutes that an operator asks for in the dashboard: projections that are built, compared and swapped (M105).

create table ops.dashboard_job (
  id         uuid        primary key,
  projection text        not null,
  act        text        not null,
  asked_by   text        not null,
  asked_at   timestamptz not null default clock_timestamp(),
  state      text        not null default 'waiting',
  done       float8      not null default 0,
  total      float8      not null default 0,
  result     jsonb,
  error      text,
  alive_at   timestamptz,
  ended_at   timestamptz
) with (fillfactor = 70);
create unique index dashboard_job_open on ops.dashboard_job (projection) where state in ('waiting', 'running');
create index dashboard_job_by_projection on ops.dashboard_job (projection, asked_at desc);
comment on table ops.dashboard_job is 'One row is work of minutes that an operator asked for in the dashboard; the last twenty of a projection are kept.';
