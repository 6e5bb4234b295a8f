-- The traces that events belong to (M69). They stand beside the log and not in it: what is in an event is hashed for the proof, and kept for ever. Only
-- processes with traces write here, in the statement that appends; a row is deleted after a day. packages/event-store owns it.

create table es.event_trace (
  id          uuid primary key,            -- the event, or the message that it is about
  traceparent text collate "C" not null,   -- W3C Trace Context, version 00
  at          timestamptz not null default clock_timestamp()
);
comment on table es.event_trace is 'One row is the trace that an event, or a message, belongs to; kept for a day.';
create index event_trace_at on es.event_trace (at);
