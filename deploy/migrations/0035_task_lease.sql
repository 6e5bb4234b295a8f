-- Which process does a periodic task that one process at a time is enough for. What such a task does must be right in two at once, too.
create table ops.task_lease (
  task       text primary key,
  owner      text,
  epoch      bigint not null default 0,
  expires_at timestamptz
);
