-- What a user is shown of their own sessions, by which they end one (M81).

-- `id` names a session to its user; the token and its hash do not leave the server. `by_link`: it was begun by a link. `ip` and `agent` say where from, as the
-- sign-in came, and end with the row.
alter table ops.session
  add column id      uuid    not null default gen_random_uuid(),
  add column by_link boolean not null default false,
  add column ip      text,
  add column agent   text;
create unique index session_id on ops.session (id);
