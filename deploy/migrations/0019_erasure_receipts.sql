-- What an erasure took away, for its receipt (M91).

alter table ops.erasure add column cleared jsonb not null default '{}';
comment on column ops.erasure.cleared is 'How many rows went, by place, over all tries; a try that was killed may have left out its last place.';
