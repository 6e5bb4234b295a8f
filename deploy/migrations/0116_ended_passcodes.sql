-- The key of a passcode leaves a row without a key behind (ADR 26). A week later one row stands for all of them: passcodes whose id was made before
-- `until` have no key, and never get one. Their ids are of version 7, which begins with its time.
create table keys.ended_passcodes (
  only_row boolean primary key default true check (only_row),
  -- As the subject of a passcode is written.
  until text collate "C" not null,
  -- Nothing is deleted on the first day: processes of the version before, which look for the rows, have ended by then.
  begun_at timestamptz not null default clock_timestamp()
);

create index subject_key_ended_passcodes on keys.subject_key (subject) where subject like 'passcode:%' and shredded_at is not null;

create function keys.is_ended_passcode(p_subject text) returns boolean language sql stable as $$
  select p_subject like 'passcode:________-____-7%' and p_subject collate "C" < (select until from keys.ended_passcodes)
$$;
