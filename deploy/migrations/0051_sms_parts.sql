-- Which message a part of a text message is of, by the id that an SMSC gave the part: its receipts name nothing else. A submission is one
-- attempt to send the message; it is delivered once all of its parts are. Rows are deleted after seven days.
create table ops.sms_part (
  -- In lower case.
  part_id text not null,
  submission uuid not null,
  workspace_id uuid not null,
  message_id uuid not null,
  is_delivered boolean not null default false,
  at timestamptz not null default now(),
  primary key (part_id, submission)
) with (fillfactor = 90);

create index sms_part_submission on ops.sms_part (submission);
create index sms_part_at on ops.sms_part (at);
