-- Finds the keys of passcodes that are past their time. `wrapped` is not in the index: a replacement of the master key writes it anew for
-- every subject, and those updates stay HOT.
create index subject_key_passcodes on keys.subject_key (created_at) where subject like 'passcode:%' and shredded_at is null;
